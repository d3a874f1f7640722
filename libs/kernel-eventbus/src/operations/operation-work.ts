import type { EntityManager } from '@mikro-orm/postgresql';
import type { Batch, ClaimedOperation, OperationScope } from './operation.js';

/** What an operation does, a batch at a time. */
export interface OperationWork {
  /** How many deliveries it is about, counted up to the limit. Changes nothing. */
  count(em: EntityManager, scope: OperationScope, limit: number): Promise<number>;
  /** In the transaction of `em`, which also notes how far it came. */
  batch(em: EntityManager, operation: ClaimedOperation, limit: number): Promise<Batch>;
}
