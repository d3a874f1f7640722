import { HttpCode, Post } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { ZodResponse } from 'nestjs-zod';
import { AdminController } from '../access/admin-controller.js';
import { AdminPrincipal } from '../access/admin-principal.js';
import { Body, Params, Principal } from '../access/input.js';
import { PolicyLabelCheck } from './policy-label-check.js';
import { PolicyPreviewResponse, PolicyToTry } from './policy-preview.dto.js';
import { PolicyPreview } from './policy-preview.js';
import { PolicyParams } from './policy.dto.js';

@AdminController('policies')
export class PolicyPreviewController {
  constructor(
    private readonly previews: PolicyPreview,
    private readonly labels: PolicyLabelCheck,
  ) {}

  @Post(':eventType/preview')
  @ApiOperation({ summary: 'Try rules on a payload or an event' })
  @HttpCode(200)
  @ZodResponse({ status: 200, type: PolicyPreviewResponse })
  async preview(
    @Principal() principal: AdminPrincipal,
    @Params() { eventType }: PolicyParams,
    @Body() trial: PolicyToTry,
  ) {
    principal.scopeTo(trial.tenantId);
    this.labels.refuseToHoldBackLabels(eventType, trial.rules);
    return this.previews.preview(principal, { eventType, ...trial });
  }
}
