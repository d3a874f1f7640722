import { z } from 'zod';
import { positive } from '../eventbus.option-checks.js';

export interface OperationsOptions {
  /** Deliveries put back or made in one transaction. Default: 200. */
  batchSize?: number;
  /** Shortest pause between two batches of an operation, so that receivers and workers are not flooded. Default: 1000. */
  pauseMs?: number;
  /** Deliveries that one operation may be about; an order for more is refused. Default: 100000. */
  maxDeliveries?: number;
  /** Operations under way at once for one tenant, and for operators who name none; a further order is refused. Default: 10. */
  maxOpen?: number;
  /** What takes longer to count, for a dry run or an order, is refused. Default: 10000. */
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
