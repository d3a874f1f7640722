import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { HandlerRegistry } from './handler-registry.js';
import { putHandlerEndpoint } from './handlers.sql.js';

/** Registers each handler as an endpoint before the first event is routed. */
@Injectable()
export class HandlerEndpoints implements OnApplicationBootstrap {
  constructor(
    private readonly em: EntityManager,
    private readonly registry: HandlerRegistry,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    for (const handler of this.registry.all) {
      await putHandlerEndpoint(this.em.fork().getKysely(), handler);
    }
  }
}
