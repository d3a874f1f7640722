import type { EntityManager } from '@mikro-orm/postgresql';
import { Kysely, PostgresDialect, type PostgresPool } from 'kysely';
import {
  answerWithin,
  connectEngine,
  releaseConnection,
  sendInOnePiece,
  STATEMENT_MS,
  type Connection,
  type QueryAnswer,
  type Statement,
} from './engine-connection.js';
import { shareNames } from './statement-names.js';
import { isLostConnection } from './transient-fault.js';

const BEGINS = /^(begin|start transaction)\b/;
const ENDS = /^(commit|rollback)$/;

const ROLLED_BACK: QueryAnswer = { command: 'ROLLBACK', rowCount: 0, rows: [] };

type Driver = ReturnType<EntityManager['getConnection']>;

const databases = new WeakMap<Driver, Map<string, Kysely<unknown>>>();

/**
 * The engine's database access over the host's pool: every statement has a deadline and loses its connection if it
 * exceeds it, and every transaction is READ COMMITTED, whatever the database's default. Never joins a transaction of
 * the host.
 */
export function engineDatabase(em: EntityManager, deadlineMs = STATEMENT_MS, idleMs = 2 * deadlineMs): Kysely<unknown> {
  const driver = em.getConnection();
  const byLimits = databases.get(driver) ?? new Map<string, Kysely<unknown>>();
  databases.set(driver, byLimits);
  const key = `${deadlineMs} ${idleMs}`;
  const database = byLimits.get(key) ?? makeDatabase(em, { deadlineMs, idleMs });
  byLimits.set(key, database);
  return database;
}

interface Limits {
  /** Time limit for a statement. */
  deadlineMs: number;
  /** Time limit between two statements of a transaction. */
  idleMs: number;
}

function makeDatabase(em: EntityManager, limits: Limits): Kysely<unknown> {
  const pool = {
    connect: async () => new EngineClient(await connectEngine(em, Math.min(limits.deadlineMs, STATEMENT_MS)), limits),
    // The host closes its pool.
    end: () => Promise.resolve(),
    options: {},
  };
  // No cursor support; the engine uses none.
  const database = new Kysely<unknown>({ dialect: new PostgresDialect({ pool: pool as unknown as PostgresPool }) });
  shareNames(database, em.getConnection().getClient());
  return database;
}

/** Adapter for Kysely's PostgreSQL driver. */
class EngineClient {
  #isInTransaction = false;
  #isBroken = false;

  constructor(
    private readonly connection: Connection,
    private readonly limits: Limits,
  ) {}

  /** The server needs its own timeouts, because it does not notice that the client has given up. */
  private get begin(): string {
    const { deadlineMs, idleMs } = this.limits;
    return (
      `begin isolation level read committed; set local statement_timeout = ${deadlineMs}; ` +
      `set local idle_in_transaction_session_timeout = ${idleMs}`
    );
  }

  async query(text: string, values: readonly unknown[]): Promise<QueryAnswer> {
    if (text === 'rollback') {
      return this.rollBack();
    }
    try {
      return await answerWithin(this.connection, this.limits.deadlineMs, () => this.send(text, values));
    } catch (error) {
      this.#isBroken ||= isLostConnection(error) || text === 'commit';
      throw error;
    }
  }

  /**
   * Never throws: the transaction ends with its connection. On an error, Kysely would keep the connection and hide the
   * first error.
   */
  private async rollBack(): Promise<QueryAnswer> {
    if (!this.#isBroken) {
      try {
        return await answerWithin(this.connection, this.limits.deadlineMs, () => this.send('rollback', []));
      } catch {
        this.#isBroken = true;
      }
    }
    return ROLLED_BACK;
  }

  release(): void {
    // Destroying the connection ends an open transaction.
    releaseConnection(this.connection, this.#isBroken || this.#isInTransaction);
  }

  /** `text` is an object for a named statement: see `prepared.ts`. */
  private async send(text: string, values: readonly unknown[]): Promise<QueryAnswer> {
    if (typeof text === 'string' && BEGINS.test(text)) {
      // Set before the answer: a later statement in the same text as `begin` may fail.
      this.#isInTransaction = true;
      return this.connection.query(text === 'begin' ? this.begin : text);
    }
    if (this.#isInTransaction) {
      const answer = await this.connection.query(text, values);
      this.#isInTransaction = !(typeof text === 'string' && ENDS.test(text));
      return answer;
    }
    return this.sendAlone(text, values);
  }

  /** In its own transaction, in one round trip. */
  private async sendAlone(text: string, values: readonly unknown[]): Promise<QueryAnswer> {
    const statement: Statement = typeof text === 'string' ? { text, values } : { ...(text as Statement), values };
    // If sending fails midway, the transaction stays open until the connection is destroyed.
    this.#isBroken = true;
    const answers = await sendInOnePiece(this.connection, [this.begin, statement, 'commit']);
    this.#isBroken = false;
    const failed = answers.find((answer) => answer.status === 'rejected');
    if (failed) {
      this.#isBroken ||= answers[2]!.status === 'rejected';
      throw failed.reason;
    }
    return (answers[1] as PromiseFulfilledResult<QueryAnswer>).value;
  }
}
