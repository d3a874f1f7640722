import { z } from 'zod';
import type { EventPrivacy } from './classification/event-privacy.js';
import { InvalidPrivacyOptionsError } from './privacy.errors.js';

/** What the host gives to `PrivacyModule.forRoot`. */
export interface PrivacyModuleOptions {
  /**
   * The key of a tenant's `hash` rules, at least 16 bytes that differ per tenant and stay the same over time. It is
   * asked for at every redaction that hashes: remember it there if it is dear to fetch.
   */
  tenantHashKey: (tenantId: string) => Buffer | Promise<Buffer>;
  /**
   * How long a policy is remembered, and so how long another process may apply the version before. A policy put in this
   * process counts at once. 0 looks it up every time. Default 5000.
   */
  cacheTtlMs?: number;
  /** What a type was declared with: its rules where none are stored, and its labels. Default: nothing of any type. */
  eventPrivacy?: (eventType: string) => EventPrivacy | undefined;
}

/** The options merged with their defaults, validated and frozen; its own injection token. */
export abstract class PrivacyConfig {
  abstract readonly tenantHashKey: (tenantId: string) => Buffer | Promise<Buffer>;
  abstract readonly cacheTtlMs: number;
  abstract readonly eventPrivacy: (eventType: string) => EventPrivacy | undefined;
}

const Options = z.strictObject({
  tenantHashKey: z.custom<PrivacyConfig['tenantHashKey']>(
    (value) => typeof value === 'function',
    'give a function from tenant id to key',
  ),
  cacheTtlMs: z.int().min(0).max(600_000).default(5_000),
  eventPrivacy: z
    .custom<PrivacyConfig['eventPrivacy']>(
      (value) => typeof value === 'function',
      'give a function from event type to its privacy',
    )
    .default(() => () => undefined),
});

export function resolvePrivacyOptions(options: PrivacyModuleOptions): PrivacyConfig {
  const resolved = Options.safeParse(options);
  if (!resolved.success) {
    throw new InvalidPrivacyOptionsError(z.prettifyError(resolved.error), { cause: resolved.error });
  }
  return Object.freeze(resolved.data);
}
