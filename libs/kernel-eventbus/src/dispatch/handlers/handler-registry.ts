import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { v5 as uuidv5 } from 'uuid';
import { HandlerConfigurationError } from '../../eventbus.errors.js';
import { handlerOptionsOf, type EventHandlerOptions, type HandledEvent } from './event-handler.decorator.js';

/** For endpoint ids: one name is the same endpoint in every process and after every start. */
const NAMESPACE = '0d3f4c1e-6a0b-5e7f-9c8d-3e5b8f1a2c47';

export interface RegisteredHandler extends EventHandlerOptions {
  endpointId: string;
  run(event: HandledEvent, em: EntityManager): unknown;
}

/** The application's handlers, discovered among the methods of all providers. */
@Injectable()
export class HandlerRegistry implements OnModuleInit {
  #handlers: Map<string, RegisteredHandler> | undefined;

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
  ) {}

  /** An invalid handler fails the start. */
  onModuleInit(): void {
    this.discovered();
  }

  get all(): RegisteredHandler[] {
    return [...this.discovered().values()];
  }

  find(endpointId: string): RegisteredHandler | undefined {
    return this.discovered().get(endpointId);
  }

  private discovered(): Map<string, RegisteredHandler> {
    return (this.#handlers ??= this.discover());
  }

  private discover(): Map<string, RegisteredHandler> {
    const handlers = new Map<string, RegisteredHandler>();
    const places = new Map<string, string>();
    for (const wrapper of this.discovery.getProviders()) {
      const instance: unknown = wrapper.instance;
      if (!instance || typeof instance !== 'object') {
        continue;
      }
      const provider = instance as Record<string, unknown>;
      for (const method of this.scanner.getAllMethodNames(Object.getPrototypeOf(provider) as object)) {
        const options = handlerOptionsOf(provider[method]);
        if (!options) {
          continue;
        }
        const place = `${wrapper.metatype?.name ?? 'provider'}.${method}`;
        const known = places.get(options.name);
        if (known === place) {
          continue;
        }
        vet(options, place, known);
        if (!wrapper.isDependencyTreeStatic()) {
          throw new HandlerConfigurationError(
            `${place} ('${options.name}') is request-scoped, itself or by a dependency, and events have no request: ` +
              'inject singletons only',
          );
        }
        places.set(options.name, place);
        const run = (provider[method] as RegisteredHandler['run']).bind(provider);
        const endpointId = uuidv5(options.name, NAMESPACE);
        handlers.set(endpointId, { ...options, endpointId, run });
      }
    }
    return handlers;
  }
}

function vet({ name, types }: EventHandlerOptions, place: string, known: string | undefined): void {
  if (known) {
    throw new HandlerConfigurationError(`${known} and ${place} are both called '${name}': names have to differ`);
  }
  if (!/^[\w.:-]{1,120}$/.test(name)) {
    throw new HandlerConfigurationError(`${place} is called '${name}': use 1 to 120 letters, digits, . _ : -`);
  }
  if (types.length === 0) {
    throw new HandlerConfigurationError(`${place} ('${name}') names no event types: give at least one`);
  }
}
