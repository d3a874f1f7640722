import { Injectable } from '@nestjs/common';
import { kindOf } from './secret-kind.js';
import type { SecretValue } from './secret-value.js';
import { CredentialNotFoundError } from './secrets.errors.js';
import { SecretsProvider } from './secrets-provider.js';

/** Credentials for headers, by alias. Never returns a signing secret. */
@Injectable()
export class CredentialsService {
  readonly #provider: SecretsProvider;

  constructor(provider: SecretsProvider) {
    this.#provider = provider;
  }

  /** The newest live version: a header holds one. */
  async current(tenantId: string, alias: string): Promise<SecretValue> {
    const [newest] = await this.#provider.liveVersions(tenantId, alias);
    if (!newest || kindOf(newest.value) !== 'credential') {
      throw new CredentialNotFoundError(tenantId, alias);
    }
    return newest.value;
  }
}
