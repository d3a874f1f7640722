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
  /** Lifetime of the cached values. Default 5000. */
  cacheTtlMs?: number;
  /** Monotonic milliseconds. Default `performance.now()`. */
  now?: () => number;
}

interface Source {
  name: string;
  text: string;
}

/**
 * Secrets for a host without a vault. The tenant's own come first: the variable
 * `KERNEL_TENANT_SECRET_<TENANT>_<ALIAS>`, then the file `<tenantId>/<alias>`. Then the secrets shared by all tenants:
 * the variable `KERNEL_SECRET_<ALIAS>`, then the file `<alias>`. The first that is not blank wins. Several signing
 * secrets, newest first, are separated by white space; any other text is one credential, including its spaces.
 *
 * A shared secret is never a credential: anyone who can set a tenant's headers could have it sent to a server of their
 * own.
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

  /** The two kinds of variables have different prefixes, so no alias reads like another tenant's id and alias. */
  async #load({ tenantId, alias }: SecretAddress): Promise<SecretVersion[]> {
    const own =
      this.#readVariable(`KERNEL_TENANT_SECRET_${inVariable(tenantId)}_${inVariable(alias)}`) ??
      (await this.#readFile(tenantId, alias));
    const shared = own ? [] : [this.#readVariable(`KERNEL_SECRET_${inVariable(alias)}`), await this.#readFile(alias)];
    const source = own ?? shared.find((one) => one && isSigning(one));
    return source ? parseVersions(source) : [];
  }

  #readVariable(name: string): Source | undefined {
    const text = this.#env[name]?.trim();
    return text ? { name, text } : undefined;
  }

  /** The address is validated: no part of it holds a slash or starts with a dot, so no path leaves the directory. */
  async #readFile(...path: string[]): Promise<Source | undefined> {
    const directory = this.#directory;
    if (directory === undefined) {
      return undefined;
    }
    try {
      await stat(directory);
      const name = join(directory, ...path);
      const text = (await readIfThere(name))?.trim();
      return text ? { name, text } : undefined;
    } catch (cause) {
      const problem = `the directory of secrets ${directory} cannot be read: check its mount and mode.`;
      throw new SecretsUnavailableError(problem, { cause });
    }
  }
}

function inVariable(text: string): string {
  return text.toUpperCase().replace(/[^A-Z0-9]/g, '_');
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

function isSigning({ text }: Source): boolean {
  return [HMAC_PREFIX, ED25519_PREFIX].some((prefix) => text.startsWith(prefix));
}

function parseVersions(source: Source): SecretVersion[] {
  const { name, text } = source;
  const values = isSigning(source) ? text.split(/\s+/) : [text];
  const parse = text.startsWith(HMAC_PREFIX)
    ? parseSigningSecret
    : isSigning(source)
      ? parseSigningKeyPair
      : parseSecret;
  try {
    return values.map((value, index) => ({ version: values.length - index, value: parse(value) }));
  } catch (cause) {
    throw new SecretsUnavailableError(`${name} holds a value that cannot be used: ${(cause as Error).message}`, {
      cause,
    });
  }
}
