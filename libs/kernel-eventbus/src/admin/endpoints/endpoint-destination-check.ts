import { Injectable } from '@nestjs/common';
import { DispatcherRegistry } from '../../dispatch/dispatcher-registry.js';
import { isWebScheme, refuseDestination, schemeOf, schemesOf } from '../../dispatch/destinations.js';
import type { WebhookDispatcher } from '../../dispatch/webhook-dispatcher.js';
import { EventBusConfig } from '../../eventbus.options.js';
import { problems } from '../../http/problem.exception.js';
import { OutgoingGuard } from '../../outgoing/outgoing-guard.js';
import type { UrlOwner } from '../../outgoing/resolver.js';

const DNS_PATIENCE_MS = 3_000;

/** Where an endpoint is, who said so, and by which way it is reached. */
export interface EndpointPlace extends UrlOwner {
  url: string;
  /** Null: the default of the application. */
  dispatcher: string | null;
}

type GivenPlace = Partial<Pick<EndpointPlace, 'url' | 'dispatcher'>>;

/** Refuses a place that could never be delivered to, before it is stored. Every attempt vets it again. */
@Injectable()
export class EndpointDestinationCheck {
  constructor(
    private readonly guard: OutgoingGuard,
    private readonly registry: DispatcherRegistry,
    private readonly config: EventBusConfig,
  ) {}

  /** `given` is what the client asks for; what it leaves as it is, is not vetted again by itself. */
  async vet(place: EndpointPlace, given: GivenPlace): Promise<void> {
    if (given.url === undefined && given.dispatcher === undefined) {
      return;
    }
    const dispatcher = this.refuseUnfit(place, given);
    if (!isWebScheme(schemeOf(place.url))) {
      const refusal = await refuseDestination(dispatcher, place);
      if (refusal !== undefined) {
        throw problems.invalid(fieldOf(given), refusal);
      }
    } else if (given.url !== undefined) {
      await this.refuseForbidden(place);
    }
  }

  /** A dispatcher that this application does not have, or one that takes no url like this. */
  refuseUnfit({ url, dispatcher }: Pick<EndpointPlace, 'url' | 'dispatcher'>, given: GivenPlace): WebhookDispatcher {
    const name = dispatcher ?? this.config.defaultDispatcher;
    const chosen = this.registry.find(name);
    if (!chosen) {
      const known = this.registry.names.map((one) => `'${one}'`).join(', ');
      throw problems.invalid('dispatcher', `there is no dispatcher '${name}': use one of ${known}`);
    }
    const scheme = schemeOf(url);
    if (!schemesOf(chosen).includes(scheme)) {
      const allowed = this.registry.all.map((one) => `'${one.name}' takes ${schemesOf(one).join(' and ')}`);
      throw problems.invalid(
        fieldOf(given),
        `the scheme ${scheme} does not fit the dispatcher '${name}': ${allowed.join(', ')}`,
      );
    }
    return chosen;
  }

  private async refuseForbidden(place: EndpointPlace): Promise<void> {
    const verdict = await this.guard.vet(place.url, place, AbortSignal.timeout(DNS_PATIENCE_MS));
    // A name that does not resolve now may do so by the time of the first delivery.
    if (!verdict.isAllowed && verdict.code !== 'dns' && verdict.code !== 'aborted') {
      throw problems.invalid('url', verdict.message);
    }
  }
}

function fieldOf(given: GivenPlace): string {
  return given.url === undefined ? 'dispatcher' : 'url';
}
