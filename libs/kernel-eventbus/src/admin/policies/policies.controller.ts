import { PolicyStore, rulesAgainstLabels, type NewPolicy } from '@kernel/privacy';
import { EntityManager } from '@mikro-orm/postgresql';
import { Body, Get, Param, Put, Query } from '@nestjs/common';
import { ZodResponse } from 'nestjs-zod';
import { appendEntries } from '../../audit/append-entries.sql.js';
import { EventRegistry } from '../../envelope/event-registry.js';
import { problems } from '../../http/problem.exception.js';
import { AdminController } from '../access/admin-controller.js';
import { AdminPrincipal } from '../access/admin-principal.js';
import { Principal } from '../access/principal.decorator.js';
import { TakesQuery } from '../access/undeclared-input.interceptor.js';
import { adminEntry } from '../admin-entry.js';
import { encodeCursor, IdCursor } from '../paging/cursor.js';
import { toPage } from '../paging/page.js';
import { PolicyAnswer, PolicyPage, PolicyParams, PolicyQuery, PolicyToPut, toPolicyAnswer } from './policy.dto.js';

@AdminController('policies')
export class PoliciesController {
  constructor(
    private readonly em: EntityManager,
    private readonly policies: PolicyStore,
    private readonly registry: EventRegistry,
  ) {}

  /** Current versions; a tenant admin sees the defaults too, because they apply to him. */
  @Get()
  @TakesQuery()
  @ZodResponse({ status: 200, type: PolicyPage })
  async list(@Principal() principal: AdminPrincipal, @Query() { tenantId, limit, cursor }: PolicyQuery) {
    const listing = {
      tenantId: tenantId && principal.scopeTo(tenantId),
      visibleTo: principal.scopeTo(undefined),
      limit: limit + 1,
      before: IdCursor.position(cursor),
    };
    const policies = await this.policies.list(listing, this.em.fork());
    return toPage(policies, limit, { toItem: toPolicyAnswer, toCursor: ({ policyId }) => encodeCursor(policyId) });
  }

  @Put(':eventType')
  @ZodResponse({ status: 200, type: PolicyAnswer })
  async put(
    @Principal() principal: AdminPrincipal,
    @Param() { eventType }: PolicyParams,
    @Body() { tenantId, rules }: PolicyToPut,
  ) {
    const owner = principal.scopeTo(tenantId) ?? null;
    this.refuseToHoldBackLabels({ eventType, rules });
    return toPolicyAnswer(
      await this.store(principal, { tenantId: owner, eventType, rules, createdBy: principal.actor }),
    );
  }

  private store(principal: AdminPrincipal, policy: NewPolicy) {
    return this.em.fork().transactional(async (em) => {
      const stored = await this.policies.put(policy, em);
      const { policyId, tenantId, eventType, version } = stored;
      const before = await this.policies.versionBefore(stored, em);
      await appendEntries(em.getKysely(), [
        adminEntry(principal, {
          kind: 'policy-put',
          tenantId,
          eventType,
          policyId,
          policyVersion: version,
          detail: { before: before ?? null, after: { version, rules: stored.rules } },
        }),
      ]);
      return stored;
    });
  }

  /** They go out whatever a policy says: a rule that says otherwise would be accepted and ignored. */
  private refuseToHoldBackLabels({ eventType, rules }: Pick<NewPolicy, 'eventType' | 'rules'>): void {
    const labels = this.registry.find(eventType)?.privacy?.labels;
    const errors = rulesAgainstLabels(rules, labels).map((index) => ({
      path: `rules.${index}.action`,
      message: `${rules[index]!.path} is a label of ${eventType} and goes out under every policy: keep it, or leave the rule out`,
    }));
    if (errors.length > 0) {
      throw problems.invalidFields(errors);
    }
  }
}
