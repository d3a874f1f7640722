import { type NewPolicy, PolicyStore, type PrivacyPolicy } from '@kernel/privacy';
import { Injectable } from '@nestjs/common';
import { appendEntries } from '@kernel/ledger';
import { TenantScope, callerEntry, TenantBudgets } from '@kernel/eventbus/engine';
import type { AdminPrincipal } from '../access/admin-principal.js';

/** Stores new policy versions, each with a ledger entry that shows the rules before and after. */
@Injectable()
export class PolicyEditor {
  constructor(
    private readonly scope: TenantScope,
    private readonly policies: PolicyStore,
    private readonly budgets: TenantBudgets,
  ) {}

  put(principal: AdminPrincipal, policy: Omit<NewPolicy, 'createdBy'>): Promise<PrivacyPolicy> {
    return this.scope.write(principal, async (em) => {
      const stored = await this.policies.put({ ...policy, createdBy: principal.actor }, em);
      const { policyId, tenantId, eventType, version, rules } = stored;
      await this.budgets.checkPolicies(em, principal, version);
      const before = (await this.policies.versionBefore(stored, em)) ?? null;
      await appendEntries(em.getKysely(), [
        callerEntry(principal, {
          kind: 'policy-put',
          tenantId,
          eventType,
          policyId,
          policyVersion: version,
          detail: { before, after: { version, rules } },
        }),
      ]);
      return stored;
    });
  }
}
