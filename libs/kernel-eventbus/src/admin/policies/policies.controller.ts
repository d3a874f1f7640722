import { PolicyStore, type NewPolicy } from '@kernel/privacy';
import { EntityManager } from '@mikro-orm/postgresql';
import { Body, Get, Param, Put, Query } from '@nestjs/common';
import { ZodResponse } from 'nestjs-zod';
import { appendEntries } from '../../audit/append-entries.sql.js';
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
    return toPolicyAnswer(
      await this.store(principal, { tenantId: owner, eventType, rules, createdBy: principal.actor }),
    );
  }

  private store(principal: AdminPrincipal, policy: NewPolicy) {
    return this.em.fork().transactional(async (em) => {
      const stored = await this.policies.put(policy, em);
      const { policyId, tenantId, eventType, version, rules } = stored;
      await appendEntries(em.getKysely(), [
        adminEntry(principal, {
          kind: 'policy-put',
          tenantId,
          eventType,
          policyId,
          policyVersion: version,
          detail: { rules },
        }),
      ]);
      return stored;
    });
  }
}
