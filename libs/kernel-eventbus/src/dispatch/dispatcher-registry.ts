import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { DispatcherConfigurationError } from '../eventbus.errors.js';
import { EventBusConfig } from '../eventbus.options.js';
import { HANDLER_DISPATCHER } from '../handlers/handler-names.js';
import { findDispatchersInUse } from './find-dispatchers-in-use.sql.js';
import { HttpDispatcher } from './http-dispatcher.js';
import { requireUsableSchemes } from './destinations.js';
import { resolveParts } from './resolve-parts.js';
import type { WebhookDispatcher } from './webhook-dispatcher.js';

/** The dispatchers of this application by name; a start with none, with two of one name or with an unknown one fails. */
@Injectable()
export class DispatcherRegistry implements OnModuleInit {
  readonly #dispatchers = new Map<string, WebhookDispatcher>();

  constructor(
    private readonly em: EntityManager,
    private readonly moduleRef: ModuleRef,
    private readonly config: EventBusConfig,
    private readonly http: HttpDispatcher,
  ) {}

  get names(): string[] {
    return [...this.#dispatchers.keys()];
  }

  get all(): WebhookDispatcher[] {
    return [...this.#dispatchers.values()];
  }

  find(name: string): WebhookDispatcher | undefined {
    return this.#dispatchers.get(name);
  }

  async onModuleInit(): Promise<void> {
    const own = await resolveParts<WebhookDispatcher>(this.moduleRef, this.config.dispatchers);
    for (const dispatcher of [...(this.config.httpDispatcher ? [this.http] : []), ...own]) {
      if (dispatcher.name === HANDLER_DISPATCHER) {
        throw new DispatcherConfigurationError(
          `no dispatcher can be called '${HANDLER_DISPATCHER}': give it another name`,
        );
      }
      if (this.#dispatchers.has(dispatcher.name)) {
        throw new DispatcherConfigurationError(`two dispatchers are called '${dispatcher.name}': names have to differ`);
      }
      requireUsableSchemes(dispatcher);
      this.#dispatchers.set(dispatcher.name, dispatcher);
    }
    this.requireKnown(this.config.defaultDispatcher, 'defaultDispatcher');
    for (const { dispatcher, endpointId } of await findDispatchersInUse(this.em.fork().getKysely())) {
      this.requireKnown(dispatcher, `the endpoint ${endpointId}`);
    }
  }

  private requireKnown(name: string, who: string): void {
    if (this.names.length === 0) {
      throw new DispatcherConfigurationError(
        'no dispatcher is registered: leave httpDispatcher on, or list one in `dispatchers`',
      );
    }
    if (!this.#dispatchers.has(name)) {
      const known = this.names.map((one) => `'${one}'`).join(', ');
      throw new DispatcherConfigurationError(`${who} asks for the dispatcher '${name}'; registered are ${known}`);
    }
  }
}
