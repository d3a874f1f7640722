import { z } from 'zod';

export interface SealingOptions {
  /** Pause between two looks for ledger entries to seal. Default: 5000. */
  intervalMs?: number;
  /**
   * Entries younger than this are left for the next look: by so much the database's clock may be set back without harm.
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
