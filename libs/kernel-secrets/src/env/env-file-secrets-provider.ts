import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { CachedLiveVersions } from '../cached-live-versions.js';
import { findSecretAddress, type SecretAddress } from '../secret-address.js';
import { SecretsUnavailableError } from '../secrets.errors.js';
import { SecretsProvider, type SecretVersion } from '../secrets-provider.js';
import { parseSecret } from '../parse-secret.js';
import { ED25519_PREFIX, HMAC_PREFIX } from '../secret-kind.js';
import { parseSigningKeyPair } from '../signing-key-pair.js';
import { parseSigningSecret } from '../signing-secret.js';

export interface EnvFileSecretsProviderOptions {
  /** Usually `process.env`. */
  env: Record<string, string | undefined>;
  /** Holds `<tenantId>/<alias>` and `<alias>`. Default: no files are read. */
  directory?: string;
  /** How long what was read is kept. Default 5000. */
  cacheTtlMs?: number;
  /** Milliseconds that never run backwards. Default `performance.now()`. */
  now?: () => number;
}

interface Source {
  name: string;
  text: string;
}

/**
 * Secrets for a host without a vault: the variable `KERNEL_SECRET_<ALIAS>`, else the tenant's file, else the shared file.
 * The first that is not blank counts. Several values that sign, newest first, are separated by white space; anything else is
 * one credential, with its blanks.
 */
export class EnvFileSecretsProvider extends SecretsProvider {
  readonly #env: Record<string, string | undefined>;
  readonly #directory: string | undefined;
  readonly #cache: CachedLiveVersions;

  constructor({ env, directory, cacheTtlMs = 5000, now }: EnvFileSecretsProviderOptions) {
    super();
    this.#env = env;
    this.#directory = directory;
    this.#cache = new CachedLiveVersions({ ttlMs: cacheTtlMs, now });
  }

  async liveVersions(tenantId: string, alias: string): Promise<SecretVersion[]> {
    const address = findSecretAddress(tenantId, alias);
    return address ? this.#cache.get(`${address.tenantId}/${alias}`, () => this.#load(address)) : [];
  }

  async #load(address: SecretAddress): Promise<SecretVersion[]> {
    const source = this.#readVariable(address) ?? (this.#directory && (await readFiles(this.#directory, address)));
    return source ? parseVersions(source) : [];
  }

  #readVariable({ alias }: SecretAddress): Source | undefined {
    const name = `KERNEL_SECRET_${alias.toUpperCase().replace(/[^A-Z0-9]/g, '_')}`;
    const text = this.#env[name]?.trim();
    return text ? { name, text } : undefined;
  }
}

/** The address is vetted: neither part holds a slash or starts with a dot, so no path leaves the directory. */
async function readFiles(directory: string, { tenantId, alias }: SecretAddress): Promise<Source | undefined> {
  try {
    await stat(directory);
    for (const name of [join(directory, tenantId, alias), join(directory, alias)]) {
      const text = (await readIfThere(name))?.trim();
      if (text) {
        return { name, text };
      }
    }
    return undefined;
  } catch (cause) {
    throw new SecretsUnavailableError(
      `the directory of secrets ${directory} cannot be read: check its mount and mode.`,
      {
        cause,
      },
    );
  }
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EISDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) {
      return undefined;
    }
    throw error;
  }
}

function parseVersions({ name, text }: Source): SecretVersion[] {
  const isSigning = [HMAC_PREFIX, ED25519_PREFIX].some((prefix) => text.startsWith(prefix));
  const values = isSigning ? text.split(/\s+/) : [text];
  const parse = text.startsWith(HMAC_PREFIX) ? parseSigningSecret : isSigning ? parseSigningKeyPair : parseSecret;
  try {
    return values.map((value, index) => ({ version: values.length - index, value: parse(value) }));
  } catch (cause) {
    throw new SecretsUnavailableError(`${name} holds a value that cannot be used: ${(cause as Error).message}`, {
      cause,
    });
  }
}
