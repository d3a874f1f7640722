import { Logger } from '@nestjs/common';
import type { DialectAdapter, Kysely } from 'kysely';

/** The required part of a pool connection; the driver is MikroORM's. */
export interface Session {
  /** Process id of the server's backend, as announced at connect. */
  processID?: number | null;
  query(statement: string): Promise<{ rows: unknown[] }>;
}

/** 26000: the session does not know the statement. 42P05: it already has it. Both mean that another session answers. */
const LOST_STATEMENT_CODES = ['26000', '42P05'] as const;

const WHO_ANSWERS = 'select pg_backend_pid() as pid';

/**
 * Decides whether statements are named, so that a connection parses and plans each once. A pooler in transaction mode
 * switches sessions between transactions. The new session does not know the names, and the failing statement aborts the
 * caller's transaction. So a pooler is detected before names are used: the backend that answers is not the one that the
 * connection was opened to.
 *
 * One instance per connection pool.
 */
export class StatementNames {
  readonly #logger = new Logger('PreparedStatements');
  readonly #asked = new WeakMap<Session, Promise<void>>();
  readonly #isAsking: boolean;
  #areUsed: boolean;
  #isGivenUp = false;

  /** `auto`: use names after a check has found no pooler. */
  constructor(choice: boolean | 'auto') {
    this.#isAsking = choice === 'auto';
    this.#areUsed = choice === true;
  }

  /** True if a check has shown that the answering backend is the connected one, i.e. there is no pooler. */
  get isDirect(): boolean {
    return this.#isAsking && this.#areUsed;
  }

  get areUsed(): boolean {
    return this.#areUsed;
  }

  /** Called for every connection taken from the pool. Checks a new one before its user's first statement. */
  meet(session: Session): void {
    if (this.#isAsking && !this.#isGivenUp && !this.#asked.has(session)) {
      this.#asked.set(session, this.ask(session));
    }
  }

  /** Resolves after the connection's check. */
  async settled(session: Session): Promise<void> {
    await this.#asked.get(session);
  }

  /** The statement with or without its name. */
  apply<S extends { name?: string }>(statement: S): S {
    return this.#areUsed ? statement : { ...statement, name: undefined };
  }

  /** True if a statement failed only because of its name. It may succeed without, and names are no longer used. */
  giveUpAfter(error: unknown): boolean {
    const { code } = (error ?? {}) as { code?: unknown };
    const isLost = LOST_STATEMENT_CODES.some((lost) => lost === code);
    if (isLost) {
      this.giveUp(`a session did not have the statements that it was told before (${String(code)})`);
    }
    return isLost;
  }

  private async ask(session: Session): Promise<void> {
    try {
      const { rows } = await session.query(WHO_ANSWERS);
      // The host may have its own number parsers.
      if (Number((rows as { pid: unknown }[])[0]?.pid) === session.processID) {
        this.#areUsed = !this.#isGivenUp;
      } else {
        this.giveUp('the database is reached through a pooler');
      }
    } catch {
      // The connection is lost; its user gets the error.
    }
  }

  private giveUp(reason: string): void {
    this.#areUsed = false;
    if (!this.#isGivenUp) {
      this.#isGivenUp = true;
      this.#logger.warn(
        `${reason}: statements are not prepared any more. Set preparedStatements: false, which says so from the start; ` +
          'or preparedStatements: true, if the pooler carries prepared statements (docs/operations.md, "Connection poolers")',
      );
    }
  }
}

const NEVER = new StatementNames(false);
/** Kysely clients that use the pool of another client. */
const shared = new WeakMap<DialectAdapter, DialectAdapter>();
/** By adapter, which a Kysely client shares with its transactions. */
const registered = new WeakMap<DialectAdapter, StatementNames>();

export function registerNames(db: Kysely<unknown>, names: StatementNames): void {
  registered.set(db.getExecutor().adapter, names);
}

/** `db` uses the pool of `owner`. */
export function shareNames(db: Kysely<unknown>, owner: Kysely<unknown>): void {
  shared.set(db.getExecutor().adapter, owner.getExecutor().adapter);
}

export function namesOf(db: Kysely<unknown>): StatementNames {
  const { adapter } = db.getExecutor();
  return registered.get(shared.get(adapter) ?? adapter) ?? NEVER;
}
