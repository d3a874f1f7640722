import { Injectable } from '@nestjs/common';
import { MAX_ENDPOINT_PREDICATES, MAX_SUBSCRIPTIONS_BYTES, tooMany } from '../../endpoints/subscription-limits.js';
import { EventBusConfig } from '../../eventbus.config.js';
import { refusals } from '../../eventbus.refusals.js';
import type { StoredSettings } from './stored-settings.js';

type Wanted = Pick<StoredSettings, 'subscribedTypes' | 'subscriptions'>;
type FieldError = { path: string; message: string };

/**
 * Refuses subscriptions that can never match (paths that the selector cannot read, types that are not subscribed), and
 * more of them than routing may evaluate for one endpoint.
 */
@Injectable()
export class EndpointSubscriptionCheck {
  constructor(private readonly config: EventBusConfig) {}

  refuseUnusable(wanted: Wanted): void {
    refuseExcess(wanted);
    refuse([...wrongTypes(wanted), ...this.wrongPaths(wanted)]);
  }

  /** For a change: errors name the fields of the request, even if they conflict with a stored field. */
  vet(after: Wanted, given: Partial<Wanted>): void {
    refuseExcess(given);
    if (given.subscriptions !== undefined) {
      return refuse([...wrongTypes(after), ...this.wrongPaths(after)]);
    }
    const [orphan] = given.subscribedTypes ? wrongTypes(after) : [];
    if (orphan) {
      throw refusals.invalid('subscribedTypes', `${orphan.message}; or change subscriptions in the same request`);
    }
  }

  private wrongPaths({ subscriptions }: Wanted): FieldError[] {
    return subscriptions.flatMap(({ predicates }, entry) =>
      predicates.flatMap(({ path }, place) => {
        const message = this.config.fieldSelector.check(path);
        return message === undefined ? [] : [{ path: `subscriptions.${entry}.predicates.${place}.path`, message }];
      }),
    );
  }
}

/**
 * Runs before the checks of single entries. Subscriptions stored before the limits existed are kept, as long as they
 * are not sent again.
 */
function refuseExcess({ subscriptions = [] }: Partial<Wanted>): void {
  const predicates = subscriptions.reduce((sum, entry) => sum + entry.predicates.length, 0);
  const bytes = Buffer.byteLength(JSON.stringify(subscriptions));
  const limits: [number, string, number][] = [
    [predicates, 'predicates in all', MAX_ENDPOINT_PREDICATES],
    [bytes, 'bytes as JSON', MAX_SUBSCRIPTIONS_BYTES],
  ];
  refuse(
    limits
      .filter(([given, , most]) => given > most)
      .map(([given, what, most]) => ({ path: 'subscriptions', message: tooMany(given, what, most) })),
  );
}

function wrongTypes({ subscribedTypes, subscriptions }: Wanted): FieldError[] {
  const subscribed = new Set(subscribedTypes);
  return subscriptions.flatMap(({ type }, entry) =>
    subscribed.has(type)
      ? []
      : [
          {
            path: `subscriptions.${entry}.type`,
            message: `there is a subscription for ${JSON.stringify(type)}, which is not among subscribedTypes: add it there, or leave the subscription out`,
          },
        ],
  );
}

function refuse(errors: FieldError[]): void {
  if (errors.length > 0) {
    throw refusals.invalidFields(errors);
  }
}
