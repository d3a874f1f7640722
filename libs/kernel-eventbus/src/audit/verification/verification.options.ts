import { z } from 'zod';

export interface VerificationOptions {
  /** Pause between two looks at seals that were not verified yet. Default: 60000. */
  intervalMs?: number;
  /** So long after the last one began, the whole ledger is verified again, from its first entry. Default: 24. */
  wholeHours?: number;
}

export const VerificationOptionsSchema = z
  .strictObject({
    intervalMs: z.number().int().positive().max(86_400_000).default(60_000),
    wholeHours: z.number().positive().max(8_760).default(24),
  })
  .prefault({});
