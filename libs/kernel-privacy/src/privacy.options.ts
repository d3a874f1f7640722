import { z } from 'zod';
import type { EventPrivacy } from './classification/event-privacy.js';
import { InvalidPrivacyOptionsError } from './privacy.errors.js';

/** Options of `PrivacyModule.forRoot`. */
export interface PrivacyModuleOptions {
  /**
   * The key of a tenant's `hash` rules: at least 16 bytes, different per tenant and stable over time. Called for every
   * redaction that hashes, so cache it if it is expensive to fetch.
   */
  tenantHashKey: (tenantId: string) => Buffer | Promise<Buffer>;
  /**
   * Lifetime of a cached policy, and so the longest time in which another process may apply the previous version. A
   * policy put in this process applies at once. 0 disables the cache. Default 5000.
   */
  cacheTtlMs?: number;
  /** The declaration of a type: its rules if none are stored, and its labels. Default: none for any type. */
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
