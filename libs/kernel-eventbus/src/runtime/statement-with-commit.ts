import type { Statement } from './hot-statement.js';

/** What is needed of the connection inside a client of `pg`: one method for each message of PostgreSQL's protocol. */
export interface Wire {
  stream: { cork?(): void; uncork?(): void };
  /** What the server has parsed under a name, and what it was just told to. */
  parsedStatements: Record<string, string | undefined>;
  submittedNamedStatements: Record<string, string | undefined>;
  parse(statement: { name?: string; text: string }): void;
  bind(parameters: { statement?: string; values?: readonly unknown[]; valueMapper?: (value: never) => unknown }): void;
  execute(): void;
  sync(): void;
}

interface Answer {
  command: string;
  rowCount: null;
  rows: never[];
}

type Callback = (error: unknown, answer?: Answer) => void;

const ANSWER: Answer = { command: 'COMMIT', rowCount: null, rows: [] };

/**
 * A statement without rows and the commit behind it, for `client.query` of `pg`, which lets whoever has a `submit` write to the
 * server himself. Both leave before a single Sync: where the statement fails, the server passes over everything up to there, so that the
 * commit does not happen and its error is the commit's.
 *
 * Instrumentations of `pg` read `text`, find `name` on what must not be copied, and replace `callback`. The values, which hold payloads,
 * are for none of them.
 */
export class StatementWithCommit implements PromiseLike<Answer> {
  readonly name: string | undefined;
  readonly text: string;
  callback: Callback;
  readonly #values: readonly unknown[];
  readonly #settled = Promise.withResolvers<Answer>();
  #isSubmitted = false;
  #isDone = false;
  #isCommitted = false;

  constructor({ name, text, values }: Statement) {
    this.name = name;
    this.text = text;
    this.#values = values;
    this.callback = (error, answer) => (error ? this.#settled.reject(error) : this.#settled.resolve(answer!));
    // Whoever hands it over may never ask for the outcome.
    this.#settled.promise.catch(() => undefined);
  }

  /** Whether anything of it may have reached the server. */
  get isSubmitted(): boolean {
    return this.#isSubmitted;
  }

  /** Whether the statement succeeded: what failed then is the commit. */
  get isDone(): boolean {
    return this.#isDone;
  }

  /** Whether the server said so. It answers the commit of a transaction that has failed with `ROLLBACK`, which is no error to `pg`. */
  get isCommitted(): boolean {
    return this.#isCommitted;
  }

  then<Fulfilled = Answer, Rejected = never>(
    onFulfilled?: ((answer: Answer) => Fulfilled | PromiseLike<Fulfilled>) | null,
    onRejected?: ((error: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<Fulfilled | Rejected> {
    return this.#settled.promise.then(onFulfilled, onRejected);
  }

  submit(wire: Wire): null {
    this.#isSubmitted = true;
    wire.stream.cork?.();
    try {
      this.write(wire);
    } catch (error) {
      this.handleError(error);
    } finally {
      // Without it the server would never answer, and the connection would be stuck.
      wire.sync();
      wire.stream.uncork?.();
    }
    return null;
  }

  handleCommandComplete({ text: tag }: { text: string }): void {
    this.#isCommitted = this.#isDone && tag === 'COMMIT';
    this.#isDone = true;
  }

  handleReadyForQuery(): void {
    this.callback(null, ANSWER);
  }

  handleError(error: unknown): void {
    this.callback(error);
  }

  /** `pg` notes what was parsed under a name by the `name` and `text` of what it runs, so that it is parsed once per connection. */
  private write(wire: Wire): void {
    const { name, text } = this;
    if (!name || (!wire.parsedStatements[name] && !wire.submittedNamedStatements[name])) {
      wire.parse({ name, text });
      if (name) {
        wire.submittedNamedStatements[name] = text;
      }
    }
    wire.bind({ statement: name, values: this.#values, valueMapper: toText });
    wire.execute();
    wire.parse({ text: 'commit' });
    wire.bind({});
    wire.execute();
  }
}

function toText(value: string | number | boolean | null | undefined): string | null {
  return value === null || value === undefined ? null : String(value);
}
