import { Injectable } from '@nestjs/common';
import { EventBusConfig } from '../../eventbus.options.js';
import { problems } from '../../http/problem.exception.js';
import type { EndpointSettings } from './endpoint-settings.js';

type Wanted = Pick<EndpointSettings, 'subscribedTypes' | 'subscriptions'>;

/** Refuses subscriptions that could never match: paths that the selector does not read, and types that are not subscribed. */
@Injectable()
export class EndpointSubscriptionCheck {
  constructor(private readonly config: EventBusConfig) {}

  refuseUnusable(wanted: Wanted): void {
    const errors = [...wrongTypes(wanted), ...this.wrongPaths(wanted)];
    if (errors.length > 0) {
      throw problems.invalidFields(errors);
    }
  }

  /** Of a change: what was given is named, though it may be at odds with what was there before. */
  vet(after: Wanted, given: Partial<Wanted>): void {
    if (given.subscriptions !== undefined) {
      return this.refuseUnusable(after);
    }
    const [orphan] = given.subscribedTypes ? wrongTypes(after) : [];
    if (orphan) {
      throw problems.invalid('subscribedTypes', `${orphan.message}; or change subscriptions in the same request`);
    }
  }

  private wrongPaths({ subscriptions }: Wanted) {
    return subscriptions.flatMap(({ predicates }, entry) =>
      predicates.flatMap(({ path }, place) => {
        const message = this.config.fieldSelector.check(path);
        return message === undefined ? [] : [{ path: `subscriptions.${entry}.predicates.${place}.path`, message }];
      }),
    );
  }
}

function wrongTypes({ subscribedTypes, subscriptions }: Wanted) {
  return subscriptions.flatMap(({ type }, entry) =>
    subscribedTypes.includes(type)
      ? []
      : [
          {
            path: `subscriptions.${entry}.type`,
            message: `there is a subscription for ${JSON.stringify(type)}, which is not among subscribedTypes: add it there, or leave the subscription out`,
          },
        ],
  );
}
