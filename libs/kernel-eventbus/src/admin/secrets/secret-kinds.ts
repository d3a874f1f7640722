import { kindOf, PostgresSecretVault, SecretsProvider, type SecretKind } from '@kernel/secrets';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { problems } from '../../http/problem.exception.js';
import { asUnavailable } from './as-unavailable.js';

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

  /** What would be kept here, nothing would be signed or sent with. */
  requireVault(todo: string): void {
    if (!this.areInVault) {
      throw problems.conflict(`the secrets are kept by the host: ${todo} where it is kept`);
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
