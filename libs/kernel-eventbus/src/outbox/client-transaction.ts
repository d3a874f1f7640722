import { Kysely, PostgresDialect } from 'kysely';
import { InvalidPublishOptionsError, OutboxTransactionRequiredError } from '../eventbus.errors.js';
import type { DuplicatePolicy } from './duplicate-refusal.js';
import {
  assignTransactionId,
  insertEventsWithin,
  isTransactionIdAssigned,
  releaseSavepoint,
  type InsertEvents,
} from './events.sql.js';
import { insertOnce } from './insert-once.js';
import type { OpenTransaction } from './open-transaction.js';
import type { PreparedEvent } from './prepare-event.js';
import { refuseRepeatedIds } from './refuse-repeated-ids.js';
import { teachDuplicateId } from './taken-event-id.js';

/** The required part of a `pg` client, of any version. Whatever runs a statement on one connection can stand for it. */
export interface PgClient {
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
}

/** 25P01: a savepoint needs a transaction. */
const NO_TRANSACTION = '25P01';

/**
 * A transaction that was begun on a client of the caller's. Its commit cannot be noticed, so events are written at once.
 *
 * PostgreSQL decides whether a transaction runs: the insert writes nothing unless its transaction has an id when the
 * insert starts. A statement outside of a transaction never has one then.
 */
export class ClientTransaction implements OpenTransaction {
  readonly db: Kysely<unknown>;

  constructor(
    client: PgClient,
    private readonly eventTypes: readonly string[],
    private readonly deduplication: DuplicatePolicy | undefined,
  ) {
    this.db = over(client);
  }

  async verify(): Promise<void> {
    if (await isTransactionIdAssigned(this.db)) {
      return;
    }
    await assignTransactionId(this.db);
    if (!(await isTransactionIdAssigned(this.db))) {
      throw new OutboxTransactionRequiredError(this.eventTypes);
    }
  }

  /** Accepted events are written. */
  findWaiting(): PreparedEvent[] {
    return [];
  }

  async add(events: readonly PreparedEvent[]): Promise<void> {
    if (events.length === 0) {
      return this.verify();
    }
    if (this.deduplication && events.some(({ isIdSupplied }) => isIdSupplied)) {
      await insertOnce(this.db, events, this.deduplication, this.insertAndRelease).catch((error: unknown) => {
        const { code } = (error ?? {}) as { code?: unknown };
        throw code === NO_TRANSACTION ? new OutboxTransactionRequiredError(this.eventTypes) : error;
      });
      return;
    }
    refuseRepeatedIds([], events);
    await this.insert(this.db, events).catch(teachDuplicateId);
  }

  private readonly insert: InsertEvents = async (db, events) => {
    if (await insertEventsWithin(db, events)) {
      return;
    }
    // Either no transaction runs, or it has not written yet and so has no id.
    await assignTransactionId(db);
    if (!(await insertEventsWithin(db, events))) {
      throw new OutboxTransactionRequiredError(this.eventTypes);
    }
  };

  /** The transaction goes on after this, so each savepoint left would stay and nest the next. */
  private readonly insertAndRelease: InsertEvents = async (db, events) => {
    await this.insert(db, events);
    await releaseSavepoint(db);
  };
}

function over(client: PgClient): Kysely<unknown> {
  if (typeof (client as Partial<PgClient> | null)?.query !== 'function') {
    throw new InvalidPublishOptionsError('client must be a pg client: an object with query(text, values)');
  }
  const connection = {
    query: (text: string, values: readonly unknown[]) => client.query(text, [...values]),
    release: () => undefined,
  };
  const pool = { connect: () => Promise.resolve(connection), end: () => Promise.resolve() };
  return new Kysely({ dialect: new PostgresDialect({ pool: pool as never }) });
}
