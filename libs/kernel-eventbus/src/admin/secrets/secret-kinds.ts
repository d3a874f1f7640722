import { kindOf, PostgresSecretVault, SecretsProvider, type SecretKind } from '@kernel/secrets';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';

/** Tells what lives under an alias, wherever the secrets are kept. */
@Injectable()
export class SecretKinds {
  constructor(
    private readonly vault: PostgresSecretVault,
    private readonly provider: SecretsProvider,
  ) {}

  /** False: the host keeps the secrets, and none can be made or changed here. */
  get areInVault(): boolean {
    return this.provider === this.vault;
  }

  async find(tenantId: string, alias: string, em: EntityManager): Promise<SecretKind | undefined> {
    if (this.areInVault) {
      return this.vault.kindOf(tenantId, alias, em);
    }
    const [newest] = await this.provider.liveVersions(tenantId, alias);
    return newest && kindOf(newest.value);
  }
}
