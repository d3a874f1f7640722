import { Logger } from '@nestjs/common';
import type { DialectAdapter, Kysely } from 'kysely';

/** What is needed of a connection of the pool; the driver behind it is MikroORM's. */
export interface Session {
  /** Of the process at the other end, as it introduced itself. */
  processID?: number | null;
  query(statement: string): Promise<{ rows: unknown[] }>;
}

/** 26000: the session does not know the statement; 42P05: it knew it before. Either way it is not the session that was told. */
const LOST_STATEMENT_CODES = ['26000', '42P05'] as const;

const WHO_ANSWERS = 'select pg_backend_pid() as pid';

/**
 * Whether statements go out under names, so that a connection parses and plans each once. A pooler in transaction mode gives each
 * transaction another session, which does not know the names that the one before was told; and a statement that fails for that
 * takes the caller's transaction with it. So a pooler is noticed before names are used: the process that answers is not the one that
 * the connection was opened to.
 *
 * One for each pool of connections.
 */
export class StatementNames {
  readonly #logger = new Logger('PreparedStatements');
  readonly #asked = new WeakMap<Session, Promise<void>>();
  readonly #isAsking: boolean;
  #areUsed: boolean;
  #isGivenUp = false;

  /** `auto`: once it is known that there is no pooler. */
  constructor(choice: boolean | 'auto') {
    this.#isAsking = choice === 'auto';
    this.#areUsed = choice === true;
  }

  /** The process that answers is the one that a connection was opened to: there is no pooler. Known only after asking. */
  get isDirect(): boolean {
    return this.#isAsking && this.#areUsed;
  }

  get areUsed(): boolean {
    return this.#areUsed;
  }

  /** Called for every connection that is taken from the pool. A new one is asked, ahead of what its user sends. */
  meet(session: Session): void {
    if (this.#isAsking && !this.#isGivenUp && !this.#asked.has(session)) {
      this.#asked.set(session, this.ask(session));
    }
  }

  /** When the connection has answered. */
  async settled(session: Session): Promise<void> {
    await this.#asked.get(session);
  }

  /** The statement as it is to be sent. */
  apply<S extends { name?: string }>(statement: S): S {
    return this.#areUsed ? statement : { ...statement, name: undefined };
  }

  /** Whether a statement failed for its name alone: without names it may succeed, and from now on they are not used. */
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
      // A host may have its own parsers of numbers.
      if (Number((rows as { pid: unknown }[])[0]?.pid) === session.processID) {
        this.#areUsed = !this.#isGivenUp;
      } else {
        this.giveUp('the database is reached through a pooler');
      }
    } catch {
      // Lost. Whoever uses it hears of it.
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
/** Clients of Kysely over another one's pool. */
const shared = new WeakMap<DialectAdapter, DialectAdapter>();
/** By what all that comes from one client of Kysely has in common, its transactions included. */
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
