import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { EventRegistry } from '../../envelope/event-registry.js';
import type { WebhookEndpointRow } from '../../endpoints/webhook-endpoint.entity.js';
import { refusals } from '../../eventbus.refusals.js';
import type { StoredSettings, SettingsChange } from './stored-settings.js';
import { hasOpenDeliveries } from './endpoint-rows.sql.js';

/** Refuses settings that cannot keep the endpoint's ordering. */
@Injectable()
export class EndpointOrderingCheck {
  constructor(private readonly events: EventRegistry) {}

  /** A type declared without ordering has no sequence numbers, so an ordered endpoint cannot subscribe to it. */
  refuseUnordered({ ordering, subscribedTypes }: Pick<StoredSettings, 'ordering' | 'subscribedTypes'>): void {
    const unordered = subscribedTypes.find((type) => this.events.find(type)?.ordering === 'none');
    if (ordering === 'stream' && unordered !== undefined) {
      throw refusals.invalid(
        'subscribedTypes',
        `${unordered} is declared with ordering 'none', so an endpoint with ordering 'stream' cannot have it: leave it out, or give it to an endpoint of its own`,
      );
    }
  }

  async vet(
    em: EntityManager,
    endpoint: Pick<WebhookEndpointRow, 'endpointId' | 'tenantId' | 'subscribedTypes'>,
    { before, after }: SettingsChange,
    settings: StoredSettings,
  ): Promise<void> {
    if (after.ordering !== undefined || after.subscribedTypes !== undefined) {
      this.refuseUnordered(settings);
    }
    // Open deliveries were routed by the old rule and would be out of order with those routed by the new one.
    if (after.ordering !== undefined && (await hasOpenDeliveries(em.getKysely(), endpoint))) {
      throw refusals.conflict(
        `this endpoint has open deliveries, or events on their way to it, with ordering '${before.ordering}': change it when they are delivered, or make another endpoint with ordering '${after.ordering}'`,
      );
    }
  }
}
