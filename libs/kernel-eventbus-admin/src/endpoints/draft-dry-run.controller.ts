import { HttpCode, Post } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { ZodResponse } from 'nestjs-zod';
import { EndpointSubscriptionCheck } from '@kernel/eventbus/engine';
import { AdminController } from '../access/admin-controller.js';
import { AdminPrincipal } from '../access/admin-principal.js';
import { Body, Principal } from '../access/input.js';
import { DraftToTry, DryRunResponse } from './dry-run.dto.js';
import { EndpointDryRun } from './endpoint-dry-run.js';

/** A draft has no endpoint id yet. */
const DRAFT_ID = '00000000-0000-0000-0000-000000000000';

@AdminController('endpoints')
export class DraftDryRunController {
  constructor(
    private readonly dryRuns: EndpointDryRun,
    private readonly check: EndpointSubscriptionCheck,
  ) {}

  /** Recent events of the tenant that the draft would match; stores nothing. */
  @Post('dry-run')
  @HttpCode(200)
  @ApiOperation({ summary: 'Try subscriptions on recent events before they are saved' })
  @ZodResponse({ status: 200, type: DryRunResponse })
  async tryDraft(@Principal() principal: AdminPrincipal, @Body() { since, ...draft }: DraftToTry) {
    principal.scopeTo(draft.tenantId);
    this.check.refuseUnusable(draft);
    return this.dryRuns.run(principal, { endpointId: DRAFT_ID, ...draft }, since);
  }
}
