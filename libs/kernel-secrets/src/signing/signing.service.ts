import type { KeyObject } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { kindOf, kindThatSigns, type SignatureScheme } from '../secret-kind.js';
import type { SecretValue } from '../secret-value.js';
import { SigningSecretNotFoundError } from '../secrets.errors.js';
import { SecretsProvider, type SecretVersion } from '../secrets-provider.js';
import { privateKeyOf, publicKeyTextOf } from '../signing-key-pair.js';
import { hmacKeyOf } from '../signing-secret.js';
import { signStandardWebhook, type SignatureHeaders, type WebhookMessage } from './sign-standard-webhook.js';

export interface SigningRequest extends WebhookMessage {
  tenantId: string;
  alias: string;
  /** Default: `v1`. */
  scheme?: SignatureScheme;
}

export interface PublicKey {
  version: number;
  /** `whpk_` and base64 of 32 bytes. */
  publicKey: string;
  /** End of signatures by this key; null: not scheduled. */
  liveUntil: Date | null;
}

@Injectable()
export class SigningService {
  /**
   * Preparing a key costs more than signing 800 bytes with it. An entry lives as long as the provider keeps the secret.
   */
  readonly #keys = new WeakMap<SecretValue, KeyObject>();
  readonly #provider: SecretsProvider;

  constructor(provider: SecretsProvider) {
    this.#provider = provider;
  }

  /** One signature per live version, newest first. Throws if there is no live version of the right kind. */
  async sign(request: SigningRequest): Promise<SignatureHeaders> {
    const { tenantId, alias, scheme = 'v1' } = request;
    const versions = await this.#versionsOf(tenantId, alias, scheme);
    if (versions.length === 0) {
      throw new SigningSecretNotFoundError(tenantId, alias, scheme);
    }
    return signStandardWebhook(
      versions.map(({ value }) => this.#keyOf(value)),
      request,
    );
  }

  /** The public keys with which a receiver verifies `v1a` now, newest first. */
  async publicKeys(tenantId: string, alias: string): Promise<PublicKey[]> {
    const versions = await this.#versionsOf(tenantId, alias, 'v1a');
    return versions.map(({ version, value, liveUntil }) => ({
      version,
      publicKey: publicKeyTextOf(value),
      liveUntil: liveUntil ?? null,
    }));
  }

  async #versionsOf(tenantId: string, alias: string, scheme: SignatureScheme): Promise<SecretVersion[]> {
    const versions = await this.#provider.liveVersions(tenantId, alias);
    return versions.filter(({ value }) => kindOf(value) === kindThatSigns(scheme));
  }

  #keyOf(value: SecretValue): KeyObject {
    let key = this.#keys.get(value);
    if (!key) {
      key = kindOf(value) === 'hmac' ? hmacKeyOf(value) : privateKeyOf(value);
      this.#keys.set(value, key);
    }
    return key;
  }
}
