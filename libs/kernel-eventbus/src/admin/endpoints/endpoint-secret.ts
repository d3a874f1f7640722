import { PostgresSecretVault, SecretsProvider } from '@kernel/secrets';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { problems } from '../../http/problem.exception.js';
import type { AdminPrincipal } from '../access/admin-principal.js';
import { SecretKeeper } from '../secrets/secret-keeper.js';

export interface ChosenSecret {
  alias: string;
  /** Its text, when it was made just now. */
  secret?: string;
}

/** Sees to it that an endpoint's alias names a secret that can sign. */
@Injectable()
export class EndpointSecret {
  constructor(
    private readonly vault: PostgresSecretVault,
    private readonly provider: SecretsProvider,
    private readonly keeper: SecretKeeper,
  ) {}

  /** The wanted alias, or else a new secret under an alias made from the endpoint's id. */
  async choose(
    principal: AdminPrincipal,
    { tenantId, endpointId }: { tenantId: string; endpointId: string },
    wantedAlias: string | undefined,
    em: EntityManager,
  ): Promise<ChosenSecret> {
    if (wantedAlias !== undefined) {
      await this.require(tenantId, wantedAlias, em);
      return { alias: wantedAlias };
    }
    if (this.provider !== this.vault) {
      throw problems.invalid(
        'signingSecretAlias',
        'name a secret: here they are kept by the host, so none can be made',
      );
    }
    const alias = `endpoint-${endpointId}`;
    const { value } = await this.keeper.keep(principal, { tenantId, alias }, em);
    return { alias, secret: value.reveal() };
  }

  async require(tenantId: string, alias: string, em: EntityManager): Promise<void> {
    const exists =
      this.provider === this.vault
        ? await this.vault.exists(tenantId, alias, em)
        : (await this.provider.liveVersions(tenantId, alias)).length > 0;
    if (!exists) {
      throw problems.invalid('signingSecretAlias', 'this tenant has no such secret: put it first, or leave it out');
    }
  }
}
