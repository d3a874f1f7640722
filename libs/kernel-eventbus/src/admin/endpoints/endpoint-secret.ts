import { PostgresSecretVault } from '@kernel/secrets';
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
    const alias = `endpoint-${endpointId}`;
    const { value } = await this.keeper.keep(principal, { tenantId, alias }, em);
    return { alias, secret: value.reveal() };
  }

  async require(tenantId: string, alias: string, em: EntityManager): Promise<void> {
    if (!(await this.vault.exists(tenantId, alias, em))) {
      throw problems.invalid('signingSecretAlias', 'this tenant has no such secret: put it first, or leave it out');
    }
  }
}
