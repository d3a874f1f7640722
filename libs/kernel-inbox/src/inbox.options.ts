import { z } from 'zod';
import { describeIssues } from './describe-issues.js';
import { InvalidInboxOptionsError } from './inbox.errors.js';
import { parseKey } from './verification/parse-key.js';

/** Unverified claims of a message. Use them to choose a key and for nothing else. */
export interface Claim {
  tenantId: string | undefined;
}

/** `whsec_...` (shared secret, `v1`) or `whpk_...` (public key, `v1a`). One of them has to match. */
export type InboxKeys = readonly string[] | ((claim: Claim) => readonly string[] | Promise<readonly string[]>);

export interface InboxOptions {
  /** Key of the processed-event marks in the database: keep it stable. Inboxes with other names do not share marks. */
  name: string;
  /** The sender's keys; two while one replaces the other. Without any key nothing is accepted. */
  keys: InboxKeys;
  /** Maximum difference between the time of a webhook and the local clock, in both directions. Default: 300. */
  toleranceSeconds?: number;
  /**
   * Handling of an event whose predecessor in the stream is missing. `tell`: it is processed, and the work is told.
   * `refuse`: `StreamGapError`, nothing is written. Default: `tell`.
   */
  gaps?: 'tell' | 'refuse';
  /** Retention of the processed-event marks. Must exceed the time in which the sender can resend. Default: 90. */
  retentionDays?: number;
  /** Interval at which `InboxModule` deletes older marks; 0: never, call `prune` yourself. Default: 60. */
  pruneEveryMinutes?: number;
}

/** The options with defaults applied; its own injection token. */
export abstract class InboxConfig {
  abstract readonly name: string;
  abstract readonly keys: InboxKeys;
  abstract readonly toleranceSeconds: number;
  abstract readonly gaps: 'tell' | 'refuse';
  abstract readonly retentionDays: number;
  abstract readonly pruneEveryMinutes: number;
}

const Options = z.strictObject({
  name: z.string().regex(/^[\w.:-]{1,120}$/, 'must be 1 to 120 letters, digits, . _ : -'),
  keys: z.custom<InboxKeys>(
    (keys) => typeof keys === 'function' || (Array.isArray(keys) && keys.every((key) => typeof key === 'string')),
    'must be a list of keys, or a function that gives one',
  ),
  toleranceSeconds: z.int().min(1).max(86_400).default(300),
  gaps: z.enum(['tell', 'refuse']).default('tell'),
  retentionDays: z.int().min(1).max(36_500).default(90),
  pruneEveryMinutes: z.int().min(0).max(10_080).default(60),
});

export function readInboxOptions(options: InboxOptions): InboxConfig {
  const parsed = Options.safeParse(options);
  if (!parsed.success) {
    throw new InvalidInboxOptionsError(
      `the options of the inbox are not valid: ${describeIssues(parsed.error.issues)}`,
    );
  }
  if (typeof parsed.data.keys !== 'function') {
    parsed.data.keys.forEach(parseKey);
  }
  return Object.freeze(parsed.data);
}
