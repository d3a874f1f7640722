import { Get } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { ZodResponse } from 'nestjs-zod';
import { LedgerEntryEntity, type LedgerRow } from '@kernel/ledger';
import { SentBody, TenantScope, defined } from '@kernel/eventbus/engine';
import { WebhookDeliveryEntity } from '@kernel/eventbus';
import { problems } from '@kernel/http';
import { AdminController } from '../access/admin-controller.js';
import { AdminPrincipal } from '../access/admin-principal.js';
import { Params, Principal, Query } from '../access/input.js';
import { IdParams } from '../request-fields.js';
import { SentBodyResponse, SentBodyQuery } from './sent-body.dto.js';

@AdminController('deliveries')
export class SentBodyController {
  constructor(
    private readonly scope: TenantScope,
    private readonly bodies: SentBody,
  ) {}

  @Get(':id/body')
  @ApiOperation({ summary: 'Show the body that an attempt sent' })
  @ZodResponse({ status: 200, type: SentBodyResponse })
  async get(@Principal() principal: AdminPrincipal, @Params() { id }: IdParams, @Query() query: SentBodyQuery) {
    const noted = await this.find(principal, id, query);
    const { policyId = null, policyVersion = null, removedPaths = null, bodySha256 = null } = noted;
    const redaction = { policyId, policyVersion, removedPaths };
    const rendered = await this.scope.hold(principal, () =>
      this.bodies.render({ deliveryId: id, bodySha256, redaction }),
    );
    return { attempt: noted.attempt ?? 0, policyVersion, bodySha256, ...rendered };
  }

  /** The delivery is read within the principal's tenant, so the body that it leads to may be shown as well. */
  private find(principal: AdminPrincipal, deliveryId: string, wanted: SentBodyQuery): Promise<LedgerRow> {
    return this.scope.read(principal, async (em) => {
      const delivery = await em.findOne(WebhookDeliveryEntity, { deliveryId }, { filters: false });
      if (!delivery) {
        throw problems.notFound('delivery');
      }
      const { attempt, bodySha256 } = wanted;
      const entry = await em.findOne(
        LedgerEntryEntity,
        defined({ eventId: delivery.eventId, deliveryId, kind: 'attempt' as const, attempt, bodySha256 }),
        { filters: false, orderBy: { recordedAt: 'desc', entryId: 'desc' } },
      );
      if (!entry) {
        throw problems.notFound('attempt of this delivery');
      }
      return entry;
    });
  }
}
