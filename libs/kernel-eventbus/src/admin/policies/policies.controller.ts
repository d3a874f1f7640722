import { PolicyStore } from '@kernel/privacy';
import { Body, Get, Param, Put, Query } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { ZodResponse } from 'nestjs-zod';
import { AdminController } from '../access/admin-controller.js';
import { AdminPrincipal } from '../access/admin-principal.js';
import { Principal } from '../access/principal.decorator.js';
import { TenantScope } from '../access/tenant-scope.js';
import { TakesQuery } from '../access/undeclared-input.interceptor.js';
import { encodeCursor, IdCursor } from '../paging/cursor.js';
import { toPage } from '../paging/page.js';
import { PolicyLabelCheck } from './policy-label-check.js';
import { PolicyEditor } from './policy-editor.js';
import { PolicyAnswer, PolicyPage, PolicyParams, PolicyQuery, PolicyToPut, toPolicyAnswer } from './policy.dto.js';

@AdminController('policies')
export class PoliciesController {
  constructor(
    private readonly scope: TenantScope,
    private readonly policies: PolicyStore,
    private readonly editor: PolicyEditor,
    private readonly labels: PolicyLabelCheck,
  ) {}

  /** Current versions; a tenant admin sees the defaults too, because they apply to him. */
  @Get()
  @ApiOperation({ summary: 'List the current privacy policies' })
  @TakesQuery()
  @ZodResponse({ status: 200, type: PolicyPage })
  async list(@Principal() principal: AdminPrincipal, @Query() { tenantId, limit, cursor }: PolicyQuery) {
    const listing = {
      tenantId: tenantId && principal.scopeTo(tenantId),
      limit: limit + 1,
      before: IdCursor.position(cursor),
    };
    const policies = await this.scope.read(principal, (em) => this.policies.list(listing, em));
    return toPage(policies, limit, { toItem: toPolicyAnswer, toCursor: ({ policyId }) => encodeCursor(policyId) });
  }

  @Put(':eventType')
  @ApiOperation({ summary: 'Put the next version of a privacy policy' })
  @ZodResponse({ status: 200, type: PolicyAnswer })
  async put(
    @Principal() principal: AdminPrincipal,
    @Param() { eventType }: PolicyParams,
    @Body() { tenantId, rules }: PolicyToPut,
  ) {
    const owner = principal.scopeTo(tenantId) ?? null;
    this.labels.refuseToHoldBackLabels(eventType, rules);
    return toPolicyAnswer(await this.editor.put(principal, { tenantId: owner, eventType, rules }));
  }
}
