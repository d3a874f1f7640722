import { z } from 'zod';

export interface SealingOptions {
  /** Interval of the search for ledger entries to seal. Default: 5000. */
  intervalMs?: number;
  /**
   * Entries younger than this are sealed in a later round: the database's clock may go back by this much without harm.
   * Default: 1000.
   */
  lagMs?: number;
}

export const SealingOptionsSchema = z
  .strictObject({
    intervalMs: z.number().int().positive().max(86_400_000).default(5_000),
    lagMs: z.number().int().nonnegative().max(86_400_000).default(1_000),
  })
  .prefault({});
