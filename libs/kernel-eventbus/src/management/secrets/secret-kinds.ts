import { kindOf, PostgresSecretVault, SecretsProvider, type SecretKind } from '@kernel/secrets';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { refusals } from '../../eventbus.refusals.js';
import { asUnavailable } from './as-unavailable.js';

/** Finds the kind of secret under an alias, in the vault or at the host's provider. */
@Injectable()
export class SecretKinds {
  constructor(
    private readonly vault: PostgresSecretVault,
    private readonly provider: SecretsProvider,
  ) {}

  /** False if the host keeps the secrets; none can be created or changed here then. */
  get areInVault(): boolean {
    return this.provider === this.vault;
  }

  /** With a host's provider, a secret stored in the vault would never be used. */
  requireVault(todo: string): void {
    if (!this.areInVault) {
      throw refusals.conflict(`the secrets are kept by the host: ${todo} where it is kept`);
    }
  }

  async find(tenantId: string, alias: string, em: EntityManager): Promise<SecretKind | undefined> {
    if (this.areInVault) {
      return this.vault.kindOf(tenantId, alias, em);
    }
    const [newest] = await this.provider.liveVersions(tenantId, alias).catch(asUnavailable);
    return newest && kindOf(newest.value);
  }
}
