import { PolicyStore, type PrivacyPolicy } from '@kernel/privacy';
import { Get, Put } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { ZodResponse } from 'nestjs-zod';
import { TenantScope, encodeCursor, IdCursor, toCutPage } from '@kernel/eventbus/engine';
import { AdminController } from '../access/admin-controller.js';
import { AdminPrincipal } from '../access/admin-principal.js';
import { Body, Params, Principal, Query } from '../access/input.js';
import { PolicyLabelCheck } from './policy-label-check.js';
import { PolicyEditor } from './policy-editor.js';
import { PolicyResponse, PolicyPage, PolicyParams, PolicyQuery, PolicyToPut, toPolicyResponse } from './policy.dto.js';

/** Stored rules are parsed before they are shown, at tens of microseconds each. */
const MAX_PAGE_RULES = 500;

@AdminController('policies')
export class PoliciesController {
  constructor(
    private readonly scope: TenantScope,
    private readonly policies: PolicyStore,
    private readonly editor: PolicyEditor,
    private readonly labels: PolicyLabelCheck,
  ) {}

  /** Current versions. A tenant admin also sees the defaults, because they apply to its tenant. */
  @Get()
  @ApiOperation({
    summary: 'List the current privacy policies',
    description: `a page ends early where policies are long (${MAX_PAGE_RULES} rules): go on while there is a nextCursor`,
  })
  @ZodResponse({ status: 200, type: PolicyPage })
  async list(@Principal() principal: AdminPrincipal, @Query() { tenantId, limit, cursor }: PolicyQuery) {
    const listing = {
      tenantId: tenantId && principal.scopeTo(tenantId),
      limit: limit + 1,
      maxRules: MAX_PAGE_RULES,
      before: IdCursor.position(cursor),
    };
    const policies = await this.scope.read(principal, (em) => this.policies.list(listing, em));
    return toCutPage(cutAfterRules(policies, limit), {
      toItem: toPolicyResponse,
      toCursor: ({ policyId }) => encodeCursor(policyId),
    });
  }

  @Put(':eventType')
  @ApiOperation({ summary: 'Put the next version of a privacy policy' })
  @ZodResponse({ status: 200, type: PolicyResponse })
  async put(
    @Principal() principal: AdminPrincipal,
    @Params() { eventType }: PolicyParams,
    @Body() { tenantId, rules }: PolicyToPut,
  ) {
    const owner = principal.scopeTo(tenantId) ?? null;
    this.labels.refuseToHoldBackLabels(eventType, rules);
    return toPolicyResponse(await this.editor.put(principal, { tenantId: owner, eventType, rules }));
  }
}

function cutAfterRules(policies: readonly PrivacyPolicy[], limit: number): { rows: PrivacyPolicy[]; isMore: boolean } {
  let rules = 0;
  const rows = policies.slice(0, limit).filter((policy) => {
    const fits = rules < MAX_PAGE_RULES;
    rules += policy.rules.length;
    return fits;
  });
  return { rows, isMore: rows.length < policies.length };
}
