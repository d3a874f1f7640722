import type { EntityManager } from '@mikro-orm/postgresql';
import type { Kysely } from 'kysely';
import type { Batch, ClaimedOperation, OperationScope } from './operation.js';

export interface CountBounds {
  /** Maximum of the count. */
  limit: number;
  /** Deadline by `performance.now()`; a count of many statements then throws `CountTookTooLong`. */
  until: number;
}

/** The work of an operation, in batches. */
export interface OperationWork {
  /** Number of affected deliveries. Read-only; the statement timeout of `em`'s transaction applies. */
  count(em: EntityManager, scope: OperationScope, bounds: CountBounds): Promise<number>;
  /** Runs in `trx`, which also records the progress. */
  batch(trx: Kysely<unknown>, operation: ClaimedOperation, limit: number): Promise<Batch>;
}
