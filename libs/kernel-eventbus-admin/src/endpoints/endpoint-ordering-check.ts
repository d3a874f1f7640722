import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { EventRegistry, type WebhookEndpointRow } from '@kernel/eventbus/engine';
import { problems } from '@kernel/http';
import type { EndpointSettings, SettingsChange } from './endpoint-settings.js';
import { hasOpenDeliveries } from './endpoints.sql.js';

/** Refuses settings that cannot keep the endpoint's ordering. */
@Injectable()
export class EndpointOrderingCheck {
  constructor(private readonly events: EventRegistry) {}

  /** A type declared without ordering has no sequence numbers, so an ordered endpoint cannot subscribe to it. */
  refuseUnordered({ ordering, subscribedTypes }: Pick<EndpointSettings, 'ordering' | 'subscribedTypes'>): void {
    const unordered = subscribedTypes.find((type) => this.events.find(type)?.ordering === 'none');
    if (ordering === 'stream' && unordered !== undefined) {
      throw problems.invalid(
        'subscribedTypes',
        `${unordered} is declared with ordering 'none', so an endpoint with ordering 'stream' cannot have it: leave it out, or give it to an endpoint of its own`,
      );
    }
  }

  async vet(
    em: EntityManager,
    endpoint: Pick<WebhookEndpointRow, 'endpointId' | 'tenantId' | 'subscribedTypes'>,
    { before, after }: SettingsChange,
    settings: EndpointSettings,
  ): Promise<void> {
    if (after.ordering !== undefined || after.subscribedTypes !== undefined) {
      this.refuseUnordered(settings);
    }
    // Open deliveries were routed by the old rule and would be out of order with those routed by the new one.
    if (after.ordering !== undefined && (await hasOpenDeliveries(em.getKysely(), endpoint))) {
      throw problems.conflict(
        `this endpoint has open deliveries, or events on their way to it, with ordering '${before.ordering}': change it when they are delivered, or make another endpoint with ordering '${after.ordering}'`,
      );
    }
  }
}
