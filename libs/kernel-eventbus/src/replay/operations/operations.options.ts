import { z } from 'zod';
import { positive } from '../../eventbus.option-checks.js';

export interface OperationsOptions {
  /** Deliveries requeued or created per transaction. Default: 200. */
  batchSize?: number;
  /** Minimum pause between two batches of an operation; limits the load on receivers and workers. Default: 1000. */
  pauseMs?: number;
  /** Maximum number of deliveries of one operation; larger requests are refused. Default: 100000. */
  maxDeliveries?: number;
  /** Maximum number of open operations per tenant, and of those without one; more are refused. Default: 10. */
  maxOpen?: number;
  /** Time limit of the count, for dry runs and requests; slower ones are refused. Default: 10000. */
  countTimeoutMs?: number;
}

export const OperationsOptionsSchema = z
  .strictObject({
    batchSize: positive.max(1_000).default(200),
    pauseMs: positive.max(3_600_000).default(1_000),
    maxDeliveries: positive.max(10_000_000).default(100_000),
    maxOpen: positive.max(1_000).default(10),
    countTimeoutMs: positive.max(600_000).default(10_000),
  })
  .prefault({});
