import { Injectable } from '@nestjs/common';
import type { Sendable } from '../deliveries/sendable.js';
import { EventBusConfig } from '../eventbus.config.js';
import { DispatcherRegistry } from './dispatcher-registry.js';

export interface SendableEndpoint {
  endpointId: string;
  dispatcher: string | null;
}

/** Tells which endpoints this process can send to. Other processes may have other handlers and dispatchers. */
@Injectable()
export class Capabilities {
  constructor(
    private readonly config: EventBusConfig,
    private readonly dispatchers: DispatcherRegistry,
  ) {}

  /** The same as lists, for a statement. */
  get sendable(): Sendable {
    const { names, builtIn } = this.dispatchers;
    const endpointIds = builtIn.flatMap((dispatcher) => [...(dispatcher.endpointIds ?? [])]);
    const partial = new Set(builtIn.filter((dispatcher) => dispatcher.endpointIds).map(({ name }) => name));
    return {
      endpointIds,
      dispatchers: names.filter((name) => !partial.has(name)),
      defaultDispatcher: this.config.defaultDispatcher,
    };
  }

  canSend({ endpointId, dispatcher }: SendableEndpoint): boolean {
    const name = dispatcher ?? this.config.defaultDispatcher;
    const builtIn = this.dispatchers.findBuiltIn(name);
    return builtIn ? (builtIn.endpointIds?.has(endpointId) ?? true) : this.dispatchers.resolve(name) !== undefined;
  }

  /** Null: the application's default. */
  isBuiltIn(dispatcher: string | null): boolean {
    return this.dispatchers.findBuiltIn(dispatcher ?? this.config.defaultDispatcher) !== undefined;
  }
}
