import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { Kysely } from 'kysely';
import { EventBusConfig } from '../../eventbus.config.js';
import { refusals } from '../../eventbus.refusals.js';
import type { Caller } from '../../access/caller.js';
import { countEndpoints, countPolicies, countSecrets, takeBudgetTurn } from './tenant-budgets.sql.js';

/** An endpoint may have a secret for each signature scheme, and credentials for its headers. */
export const SECRETS_PER_ENDPOINT = 4;
export const MAX_SECRET_VERSIONS = 10_000;
export const MAX_POLICIES = 1_000;
export const MAX_POLICY_VERSIONS = 1_000;

/**
 * Limits of what the admins of one tenant can store; operators may go beyond. Each check runs after the addition, in its
 * transaction: the error rolls it back.
 */
@Injectable()
export class TenantBudgets {
  constructor(private readonly config: EventBusConfig) {}

  async checkEndpoints(em: EntityManager, caller: Caller): Promise<void> {
    const { maxEndpointsPerTenant: max } = this.config;
    await check(em, caller, {
      count: countEndpoints,
      max,
      refusal: `a tenant has at most ${max} endpoints: delete one, or ask an operator; the host sets the limit as maxEndpointsPerTenant`,
    });
  }

  async checkSecrets(em: EntityManager, caller: Caller): Promise<void> {
    const max = SECRETS_PER_ENDPOINT * this.config.maxEndpointsPerTenant;
    await check(em, caller, {
      count: countSecrets,
      max,
      refusal: `a tenant has at most ${max} secrets: revoke the versions of one, or ask an operator; the host sets the limit as ${SECRETS_PER_ENDPOINT} times maxEndpointsPerTenant`,
    });
  }

  checkSecretVersion(caller: Caller, version: number): void {
    refuseVersion(caller, { version, max: MAX_SECRET_VERSIONS, of: 'a secret' });
  }

  async checkPolicies(em: EntityManager, caller: Caller, version: number): Promise<void> {
    refuseVersion(caller, { version, max: MAX_POLICY_VERSIONS, of: 'a policy' });
    if (version > 1) {
      return;
    }
    await check(em, caller, {
      count: countPolicies,
      max: MAX_POLICIES,
      refusal: `a tenant has policies of its own for at most ${MAX_POLICIES} types: change one, or ask an operator`,
    });
  }
}

interface Budget {
  count: (trx: Kysely<unknown>, tenantId: string) => Promise<number>;
  max: number;
  refusal: string;
}

async function check(em: EntityManager, { tenantId }: Caller, { count, max, refusal }: Budget): Promise<void> {
  if (tenantId === undefined) {
    return;
  }
  const trx: Kysely<unknown> = em.getKysely();
  await takeBudgetTurn(trx, tenantId);
  if ((await count(trx, tenantId)) > max) {
    throw refusals.conflict(refusal);
  }
}

function refuseVersion({ tenantId }: Caller, { version, max, of }: { version: number; max: number; of: string }): void {
  if (tenantId !== undefined && version > max) {
    throw refusals.conflict(`${of} has at most ${max} versions: only an operator may put more`);
  }
}
