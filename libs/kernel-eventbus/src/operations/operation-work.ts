import type { EntityManager } from '@mikro-orm/postgresql';
import type { Kysely } from 'kysely';
import type { Batch, ClaimedOperation, OperationScope } from './operation.js';

export interface CountBounds {
  /** Counted up to here. */
  limit: number;
  /** By `performance.now()`: a count of many statements gives up then with `CountTookTooLong`. */
  until: number;
}

/** What an operation does, a batch at a time. */
export interface OperationWork {
  /** How many deliveries it is about. Changes nothing; no statement outlasts the timeout of the transaction of `em`. */
  count(em: EntityManager, scope: OperationScope, bounds: CountBounds): Promise<number>;
  /** In the transaction `trx`, which also notes how far it came. */
  batch(trx: Kysely<unknown>, operation: ClaimedOperation, limit: number): Promise<Batch>;
}
