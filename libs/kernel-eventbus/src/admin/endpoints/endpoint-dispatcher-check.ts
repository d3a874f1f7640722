import { Injectable } from '@nestjs/common';
import { DispatcherRegistry } from '../../dispatch/dispatcher-registry.js';
import { problems } from '../../http/problem.exception.js';

/** Refuses a dispatcher that this application does not have. */
@Injectable()
export class EndpointDispatcherCheck {
  constructor(private readonly registry: DispatcherRegistry) {}

  vet({ dispatcher }: { dispatcher?: string | null }): void {
    if (dispatcher && !this.registry.find(dispatcher)) {
      const known = this.registry.names.map((name) => `'${name}'`).join(', ');
      throw problems.invalid('dispatcher', `there is no dispatcher '${dispatcher}': use one of ${known}`);
    }
  }
}
