import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { WebhookEndpointRow } from '../../endpoints/webhook-endpoint.entity.js';
import { type Caller, refuseMoving } from '../../access/caller.js';
import { EndpointDestinationCheck } from './endpoint-destination-check.js';
import { EndpointLimitCheck } from './endpoint-limit-check.js';
import { EndpointOrderingCheck } from './endpoint-ordering-check.js';
import type { StoredSettings, SettingsChange } from './stored-settings.js';
import { EndpointSubscriptionCheck } from './endpoint-subscription-check.js';
import type { NewEndpoint } from './endpoint-input.js';

/** All checks on an endpoint's settings, except those on its secrets. */
@Injectable()
export class EndpointChecks {
  constructor(
    private readonly limits: EndpointLimitCheck,
    private readonly ordering: EndpointOrderingCheck,
    private readonly destination: EndpointDestinationCheck,
    private readonly subscriptions: EndpointSubscriptionCheck,
  ) {}

  vetNew(caller: Caller, wanted: Omit<NewEndpoint, 'tenantId'>): void {
    this.limits.refuseBeyond(caller, wanted);
    this.ordering.refuseUnordered(wanted);
    this.destination.refuseUnfit(wanted, wanted);
    this.subscriptions.refuseUnusable(wanted);
  }

  /** Call with the endpoint's row locked. */
  async vetChange(
    em: EntityManager,
    caller: Caller,
    endpoint: WebhookEndpointRow,
    change: SettingsChange,
    after: StoredSettings,
  ): Promise<void> {
    refuseMoving(caller, endpoint, change.after);
    this.limits.refuseBeyond(caller, change.after);
    this.subscriptions.vet(after, change.after);
    if ('url' in change.after || 'dispatcher' in change.after) {
      // Checked again under the lock: another request may have changed the url or the dispatcher.
      this.destination.refuseUnfit(after, change.after);
    }
    await this.ordering.vet(em, endpoint, change, after);
  }
}
