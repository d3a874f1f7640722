import { Injectable } from '@nestjs/common';
import { DispatcherRegistry } from '../../dispatch/dispatcher-registry.js';
import { isWebScheme, refuseDestination, schemeOf, schemesOf } from '../../dispatch/destinations.js';
import { EventBusConfig } from '../../eventbus.config.js';
import type { WebhookDispatcher } from '../../dispatch/webhook-dispatcher.js';
import { refusals } from '../../eventbus.refusals.js';
import { OutgoingGuard, type UrlOwner } from '@kernel/outgoing-http';

const DNS_PATIENCE_MS = 3_000;

/** Location of an endpoint, who set it, and the dispatcher that reaches it. */
export interface EndpointPlace extends UrlOwner {
  url: string;
  /** Null: the application's default. */
  dispatcher: string | null;
}

type GivenPlace = Partial<Pick<EndpointPlace, 'url' | 'dispatcher'>>;

/** Refuses undeliverable destinations before they are stored. Every attempt vets them again. */
@Injectable()
export class EndpointDestinationCheck {
  constructor(
    private readonly guard: OutgoingGuard,
    private readonly registry: DispatcherRegistry,
    private readonly config: EventBusConfig,
  ) {}

  /** `given` holds the fields of the request; unchanged fields are not vetted again on their own. */
  async vet(place: EndpointPlace, given: GivenPlace): Promise<void> {
    if (given.url === undefined && given.dispatcher === undefined) {
      return;
    }
    const dispatcher = this.refuseUnfit(place, given);
    if (!isWebScheme(schemeOf(place.url))) {
      const refusal = await refuseDestination(dispatcher, place);
      if (refusal !== undefined) {
        throw refusals.invalid(fieldOf(given), refusal);
      }
    } else if (given.url !== undefined) {
      await this.refuseForbidden(place);
    }
  }

  /** Refuses an unknown dispatcher, or one that does not support the scheme of the url. */
  refuseUnfit({ url, dispatcher }: Pick<EndpointPlace, 'url' | 'dispatcher'>, given: GivenPlace): WebhookDispatcher {
    const name = dispatcher ?? this.config.defaultDispatcher;
    const chosen = this.registry.find(name);
    if (!chosen) {
      const known = this.registry.names.map((one) => `'${one}'`).join(', ');
      throw refusals.invalid('dispatcher', `there is no dispatcher '${name}': use one of ${known}`);
    }
    const scheme = schemeOf(url);
    if (!schemesOf(chosen).includes(scheme)) {
      const allowed = this.registry.all.map((one) => `'${one.name}' takes ${schemesOf(one).join(' and ')}`);
      throw refusals.invalid(
        fieldOf(given),
        `the scheme ${scheme} does not fit the dispatcher '${name}': ${allowed.join(', ')}`,
      );
    }
    return chosen;
  }

  private async refuseForbidden(place: EndpointPlace): Promise<void> {
    const verdict = await this.guard.vet(place.url, place, AbortSignal.timeout(DNS_PATIENCE_MS));
    // A name that does not resolve now may resolve by the first delivery.
    if (!verdict.isAllowed && verdict.code !== 'dns' && verdict.code !== 'aborted') {
      throw refusals.invalid('url', verdict.message);
    }
  }
}

function fieldOf(given: GivenPlace): string {
  return given.url === undefined ? 'dispatcher' : 'url';
}
