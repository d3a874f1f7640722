import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { WebhookEndpointRow } from '@kernel/eventbus/engine';
import type { AdminPrincipal } from '../access/admin-principal.js';
import { EndpointDestinationCheck } from './endpoint-destination-check.js';
import { EndpointLimitCheck } from './endpoint-limit-check.js';
import { EndpointOrderingCheck } from './endpoint-ordering-check.js';
import type { EndpointSettings, SettingsChange } from './endpoint-settings.js';
import { EndpointSubscriptionCheck } from './endpoint-subscription-check.js';
import type { NewEndpoint } from './endpoint.dto.js';

/** All checks on an endpoint's settings, except those on its secrets. */
@Injectable()
export class EndpointChecks {
  constructor(
    private readonly limits: EndpointLimitCheck,
    private readonly ordering: EndpointOrderingCheck,
    private readonly destination: EndpointDestinationCheck,
    private readonly subscriptions: EndpointSubscriptionCheck,
  ) {}

  vetNew(principal: AdminPrincipal, wanted: Omit<NewEndpoint, 'tenantId'>): void {
    this.limits.refuseBeyond(principal, wanted);
    this.ordering.refuseUnordered(wanted);
    this.destination.refuseUnfit(wanted, wanted);
    this.subscriptions.refuseUnusable(wanted);
  }

  /** Call with the endpoint's row locked. */
  async vetChange(
    em: EntityManager,
    principal: AdminPrincipal,
    endpoint: WebhookEndpointRow,
    change: SettingsChange,
    after: EndpointSettings,
  ): Promise<void> {
    principal.refuseMoving(endpoint, change.after);
    this.limits.refuseBeyond(principal, change.after);
    this.subscriptions.vet(after, change.after);
    if ('url' in change.after || 'dispatcher' in change.after) {
      // Checked again under the lock: another request may have changed the url or the dispatcher.
      this.destination.refuseUnfit(after, change.after);
    }
    await this.ordering.vet(em, endpoint, change, after);
  }
}
