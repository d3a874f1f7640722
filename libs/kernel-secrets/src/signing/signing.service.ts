import { createSecretKey, type KeyObject } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { SecretValue } from '../secret-value.js';
import { SigningSecretNotFoundError } from '../secrets.errors.js';
import { SecretsProvider } from '../secrets-provider.js';
import { signingSecretBytes } from '../signing-secret.js';
import { signStandardWebhook, type SignatureHeaders, type WebhookMessage } from './sign-standard-webhook.js';

export interface SigningRequest extends WebhookMessage {
  tenantId: string;
  alias: string;
}

@Injectable()
export class SigningService {
  /** Preparing a key costs more than signing 800 bytes with it; it lives as long as the provider keeps the secret. */
  readonly #keys = new WeakMap<SecretValue, KeyObject>();
  readonly #provider: SecretsProvider;

  constructor(provider: SecretsProvider) {
    this.#provider = provider;
  }

  /** One signature per live version, newest first. Without a live version nothing is signed. */
  async sign({ tenantId, alias, ...message }: SigningRequest): Promise<SignatureHeaders> {
    const versions = await this.#provider.liveVersions(tenantId, alias);
    if (versions.length === 0) {
      throw new SigningSecretNotFoundError(tenantId, alias);
    }
    return signStandardWebhook(
      versions.map(({ value }) => this.#keyOf(value)),
      message,
    );
  }

  #keyOf(value: SecretValue): KeyObject {
    let key = this.#keys.get(value);
    if (!key) {
      key = createSecretKey(signingSecretBytes(value));
      this.#keys.set(value, key);
    }
    return key;
  }
}
