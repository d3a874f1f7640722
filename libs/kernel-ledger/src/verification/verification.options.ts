import { z } from 'zod';

export interface VerificationOptions {
  /** Interval of the verification of new seals. Default: 60000. */
  intervalMs?: number;
  /** Hours after the start of a full pass until the next one, which begins with the first entry. Default: 24. */
  wholeHours?: number;
}

export const VerificationOptionsSchema = z
  .strictObject({
    intervalMs: z.number().int().positive().max(86_400_000).default(60_000),
    wholeHours: z.number().positive().max(8_760).default(24),
  })
  .prefault({});
