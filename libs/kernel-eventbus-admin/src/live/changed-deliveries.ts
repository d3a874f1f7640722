import { Injectable } from '@nestjs/common';
import { WebhookDeliveryEntity } from '@kernel/eventbus';
import { findParkedLanes, TenantScope } from '@kernel/eventbus/engine';
import type { ChangedDelivery } from './find-changes.sql.js';
import type { AdminPrincipal } from '../access/admin-principal.js';
import { toDeliveryResponse } from '../deliveries/delivery-response.js';
import type { Delivery } from '../deliveries/delivery.dto.js';

const MAX_SHOWN = 50;

/** Reads changed deliveries in the form of the delivery list, within the listener's tenant. */
@Injectable()
export class ChangedDeliveries {
  constructor(private readonly scope: TenantScope) {}

  /** Latest change first, in the order of `changes`. */
  async read(principal: AdminPrincipal, changes: readonly ChangedDelivery[]): Promise<Delivery[]> {
    const ids = changes.slice(0, MAX_SHOWN).map(({ deliveryId }) => deliveryId);
    if (ids.length === 0) {
      return [];
    }
    return this.scope.read(principal, async (em) => {
      const rows = await em.find(WebhookDeliveryEntity, { deliveryId: { $in: ids } }, { filters: false });
      const parked = await findParkedLanes(
        em.getKysely(),
        rows.map(({ laneId }) => laneId),
      );
      const place = new Map(ids.map((id, index) => [id, index]));
      return rows
        .toSorted((a, b) => place.get(a.deliveryId)! - place.get(b.deliveryId)!)
        .map((row) => toDeliveryResponse(row, parked));
    });
  }
}
