import type { SealingOptionsSchema } from './sealing/sealing.options.js';
import type { VerificationOptionsSchema } from './verification/verification.options.js';
import type { z } from 'zod';

/** The ledger's share of the host's options. */
export abstract class LedgerConfig {
  /** Only workers seal, and verify in the background. */
  abstract readonly isWorker: boolean;
  abstract readonly sealing: z.output<typeof SealingOptionsSchema>;
  abstract readonly verification: z.output<typeof VerificationOptionsSchema>;
}
