import { LockMode } from '@mikro-orm/core';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { appendEntries } from '../audit/append-entries.sql.js';
import { ledgerEntry } from '../audit/ledger-entry.js';
import { WebhookDeliveryEntity, type WebhookDeliveryRow } from '../delivery/webhook-delivery.entity.js';
import { EventBusConfig } from '../eventbus.options.js';
import { WebhookEndpointEntity } from '../routing/webhook-endpoint.entity.js';
import { readCommitted } from '../runtime/read-committed.js';
import { WakeUp } from '../runtime/wake-up.js';
import { requeueDelivery } from './requeue-delivery.sql.js';

export interface ReplayRequest {
  deliveryId: string;
  /** Only a delivery of this tenant; undefined for an operator, who may replay any. */
  tenantId?: string;
  /** Who asks for it. */
  actor: string;
  /** Why; kept in the ledger. */
  reason: string;
}

export type ReplayResult =
  | { kind: 'replayed'; delivery: WebhookDeliveryRow }
  | { kind: 'not-found' }
  | { kind: 'not-settled'; status: string }
  | { kind: 'endpoint-deleted' }
  | { kind: 'event-expired' };

/** Sends a settled delivery again: same event, same endpoint, today's policy and secrets, attempts counted anew. */
@Injectable()
export class ReplayService {
  constructor(
    private readonly em: EntityManager,
    private readonly wakeUp: WakeUp,
    private readonly config: EventBusConfig,
  ) {}

  async replay(request: ReplayRequest): Promise<ReplayResult> {
    const result = await readCommitted(this.em, (em) => this.requeue(em, request));
    if (result.kind === 'replayed') {
      this.wakeUp.nudge();
      this.wakeUp.published();
    }
    return result;
  }

  private async requeue(em: EntityManager, request: ReplayRequest): Promise<ReplayResult> {
    const { deliveryId, tenantId } = request;
    const delivery = await em.findOne(WebhookDeliveryEntity, { deliveryId, ...(tenantId && { tenantId }) });
    if (!delivery) {
      return { kind: 'not-found' };
    }
    // Locked, so that the endpoint cannot be enabled or disabled between this look and the delivery's way back.
    const endpoint = await em.findOne(
      WebhookEndpointEntity,
      { endpointId: delivery.endpointId, deletedAt: null },
      { lockMode: LockMode.PESSIMISTIC_READ },
    );
    if (!endpoint) {
      return { kind: 'endpoint-deleted' };
    }
    if (!(await requeueDelivery(em.getKysely(), deliveryId, this.config.retention))) {
      return this.refuse(await em.refresh(delivery));
    }
    await appendEntries(em.getKysely(), [
      ledgerEntry({
        kind: 'replayed',
        actor: request.actor,
        reason: request.reason,
        tenantId: delivery.tenantId,
        eventId: delivery.eventId,
        eventType: delivery.eventType,
        deliveryId,
        endpointId: delivery.endpointId,
        traceId: delivery.traceId,
        detail: {
          before: { status: delivery.status, attempts: delivery.attempts },
          after: { status: 'PENDING', attempts: 0 },
        },
      }),
    ]);
    await em.refresh(delivery);
    return { kind: 'replayed', delivery };
  }

  /** Why it was not requeued; it may have changed, or been pruned, since it was read. */
  private refuse(delivery: WebhookDeliveryRow | null): ReplayResult {
    if (!delivery) {
      return { kind: 'not-found' };
    }
    const { status } = delivery;
    return status === 'DELIVERED' || status === 'DLQ' ? { kind: 'event-expired' } : { kind: 'not-settled', status };
  }
}
