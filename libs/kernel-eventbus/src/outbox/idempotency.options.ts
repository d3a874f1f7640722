import { z } from 'zod';

export interface IdempotencyOptions {
  /** True if every event needs an `idempotencyKey`, unless its definition says otherwise. Default: false. */
  isKeyRequired?: boolean;
  /** How long a key stays taken, even after its first event is dropped. Default: 90. */
  windowDays?: number;
}

export const IdempotencyOptionsSchema = z
  .strictObject({
    isKeyRequired: z.boolean().default(false),
    windowDays: z.number().int().positive().max(36_500).default(90),
  })
  .prefault({});
