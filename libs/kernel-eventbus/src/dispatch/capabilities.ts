import { Injectable } from '@nestjs/common';
import { EventBusConfig } from '../eventbus.options.js';
import { HANDLER_DISPATCHER } from '../handlers/handler-names.js';
import { HandlerRegistry } from '../handlers/handler-registry.js';
import { DispatcherRegistry } from './dispatcher-registry.js';

export interface SendableEndpoint {
  endpointId: string;
  dispatcher: string | null;
}

export interface Sendable {
  handlerEndpointIds: readonly string[];
  dispatchers: readonly string[];
  defaultDispatcher: string;
}

/** Tells which endpoints this process can send to. Another process on the same database may have other handlers and dispatchers. */
@Injectable()
export class Capabilities {
  constructor(
    private readonly config: EventBusConfig,
    private readonly dispatchers: DispatcherRegistry,
    private readonly handlers: HandlerRegistry,
  ) {}

  /** The same as lists, for a statement. */
  get sendable(): Sendable {
    return {
      handlerEndpointIds: this.handlers.all.map(({ endpointId }) => endpointId),
      dispatchers: this.dispatchers.names,
      defaultDispatcher: this.config.defaultDispatcher,
    };
  }

  canSend({ endpointId, dispatcher }: SendableEndpoint): boolean {
    return dispatcher === HANDLER_DISPATCHER
      ? this.handlers.find(endpointId) !== undefined
      : this.dispatchers.find(dispatcher ?? this.config.defaultDispatcher) !== undefined;
  }
}
