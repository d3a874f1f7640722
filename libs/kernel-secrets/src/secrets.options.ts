import { z } from 'zod';
import { InvalidSecretsOptionsError } from './secrets.errors.js';
import { SecretsProvider } from './secrets-provider.js';
import { MasterKey } from './vault/master-key.js';

export interface SecretsModuleOptions {
  /** Base64 of 32 bytes. Encrypts the vault; other keys derive from it. */
  masterKey: string;
  /** The previous key, until the rotation from it is finished. Default: none. */
  previousMasterKey?: string;
  /**
   * Lifetime of cached decrypted secrets; a change by another process is visible within it. Default 5000, at most
   * 300000.
   */
  cacheTtlMs?: number;
  /** Source of signing secrets. Default: the vault. */
  provider?: SecretsProvider;
}

/** The options with defaults applied; its own injection token. */
export abstract class SecretsConfig {
  abstract readonly masterKey: MasterKey;
  abstract readonly previousMasterKey: MasterKey | undefined;
  abstract readonly cacheTtlMs: number;
  abstract readonly provider: SecretsProvider | undefined;
}

const Options = z.strictObject({
  masterKey: z.string('must be base64 of 32 bytes'),
  previousMasterKey: z.string('must be base64 of 32 bytes').optional(),
  cacheTtlMs: z.int().min(0).max(300_000).default(5000),
  provider: z
    .instanceof(SecretsProvider, { error: 'must be an instance of a class that extends SecretsProvider' })
    .optional(),
});

export function readSecretsOptions(options: SecretsModuleOptions): SecretsConfig {
  const parsed = Options.safeParse(options);
  if (!parsed.success) {
    throw new InvalidSecretsOptionsError(
      `the options of SecretsModule are not valid: ${z.prettifyError(parsed.error)}`,
    );
  }
  const { masterKey, previousMasterKey, cacheTtlMs, provider } = parsed.data;
  return Object.freeze({
    masterKey: MasterKey.fromBase64(masterKey),
    previousMasterKey: previousMasterKey === undefined ? undefined : MasterKey.fromBase64(previousMasterKey),
    cacheTtlMs,
    provider,
  });
}
