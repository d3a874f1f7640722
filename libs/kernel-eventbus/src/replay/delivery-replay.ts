import { LockMode } from '@mikro-orm/core';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { appendEntries } from '@kernel/ledger';
import { requeueDeliveries } from '../deliveries/dead-letters.sql.js';
import { WebhookDeliveryEntity, type WebhookDeliveryRow } from '../deliveries/webhook-delivery.entity.js';
import { EventBusConfig } from '../eventbus.config.js';
import { WebhookEndpointEntity } from '../endpoints/webhook-endpoint.entity.js';
import { readCommitted } from '@kernel/runtime';
import { WakeUp } from '../runtime/wake-up.js';
import { replayedEntry } from './replayed-entry.js';

export interface ReplayRequest {
  deliveryId: string;
  /** Restricts the replay to this tenant's deliveries; undefined for an operator. */
  tenantId?: string;
  /** The requester. */
  actor: string;
  /** Recorded in the ledger. */
  reason: string;
}

export type ReplayResult =
  | { kind: 'replayed'; delivery: WebhookDeliveryRow }
  | { kind: 'not-found' }
  | { kind: 'not-settled'; status: string }
  | { kind: 'endpoint-deleted' }
  | { kind: 'event-expired' };

/** Requeues a finished delivery: same event and endpoint, current policy and secrets, attempts reset. */
@Injectable()
export class DeliveryReplay {
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
    const delivery = await em.findOne(
      WebhookDeliveryEntity,
      { deliveryId, ...(tenantId && { tenantId }) },
      { filters: false },
    );
    if (!delivery) {
      return { kind: 'not-found' };
    }
    // Locked, so that the endpoint is not enabled or disabled before the delivery is requeued.
    const endpoint = await em.findOne(
      WebhookEndpointEntity,
      { endpointId: delivery.endpointId, deletedAt: null },
      { filters: false, lockMode: LockMode.PESSIMISTIC_READ },
    );
    if (!endpoint) {
      return { kind: 'endpoint-deleted' };
    }
    const [requeued] = await requeueDeliveries(em.getKysely(), [deliveryId], this.config.retention);
    if (!requeued) {
      return this.refuse(await em.refresh(delivery));
    }
    await appendEntries(em.getKysely(), [replayedEntry(requeued, request)]);
    await em.refresh(delivery);
    return { kind: 'replayed', delivery };
  }

  /** The reason for the refusal; the delivery may have changed or been pruned since it was read. */
  private refuse(delivery: WebhookDeliveryRow | null): ReplayResult {
    if (!delivery) {
      return { kind: 'not-found' };
    }
    const { status } = delivery;
    return status === 'DELIVERED' || status === 'DLQ' ? { kind: 'event-expired' } : { kind: 'not-settled', status };
  }
}
