import { Injectable, Logger } from '@nestjs/common';
import { EventBusConfig } from '../eventbus.config.js';
import { firstLine } from '@kernel/runtime';
import { checkBeforeSending } from './destinations.js';
import { DispatcherRegistry } from './dispatcher-registry.js';
import { HttpDispatcher } from './http-dispatcher.js';
import type { Handoff, HandoffResult } from './webhook-dispatcher.js';

export interface CoordinatedHandoff extends HandoffResult {
  dispatcher: string;
}

/** Picks exactly one dispatcher per attempt: the endpoint's own, else the application's default. */
@Injectable()
export class DispatchCoordinator {
  readonly #logger = new Logger(DispatchCoordinator.name);

  constructor(
    private readonly registry: DispatcherRegistry,
    private readonly config: EventBusConfig,
  ) {}

  /** True for the built-in HTTP dispatcher: it needs no handoff. */
  invokesAtOnce(chosen: string | null): boolean {
    return this.registry.findBuiltIn(chosen ?? this.config.defaultDispatcher) instanceof HttpDispatcher;
  }

  /** A dispatcher that is missing or throws has rejected the delivery. */
  async hand(handoff: Handoff, chosen: string | null): Promise<CoordinatedHandoff> {
    const name = chosen ?? this.config.defaultDispatcher;
    const dispatcher = this.registry.resolve(name);
    if (!dispatcher) {
      return { dispatcher: name, status: 'rejected', reason: `the dispatcher '${name}' is not registered here` };
    }
    try {
      return Object.assign({ dispatcher: name }, await dispatcher.dispatch(checkBeforeSending(dispatcher, handoff)));
    } catch (error) {
      this.#logger.error({ msg: 'dispatcher failed', dispatcher: name, deliveryId: handoff.delivery.deliveryId });
      return { dispatcher: name, status: 'rejected', reason: firstLine(error) };
    }
  }
}
