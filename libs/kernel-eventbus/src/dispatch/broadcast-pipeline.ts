import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import type { EventEnvelope } from '../envelope/event-envelope.js';
import { EventBusConfig } from '../eventbus.options.js';
import { faultOf } from '../runtime/fault.js';
import { runWithTrace } from '../runtime/trace-context.js';
import type { BroadcastMiddleware, BroadcastResult } from './broadcast-middleware.js';
import { requireDistinctNames } from './require-distinct-names.js';
import { resolveParts } from './resolve-parts.js';

/** Where the middleware of an event has got to. */
export interface Broadcast {
  event: EventEnvelope;
  /** `pass`: all of it called next; `stop`: it ended without; `fail`: it threw. */
  decision: Decision;
  /** Tells the middleware what came of it, and waits until it has ended. */
  end(result: BroadcastResult | Error): Promise<void>;
}

export type Decision = { kind: 'pass' } | { kind: 'stop'; by: string } | { kind: 'fail' };

/** Runs the host's broadcast middleware, in the order of the options. */
@Injectable()
export class BroadcastPipeline implements OnModuleInit {
  readonly #logger = new Logger(BroadcastPipeline.name);
  #middleware: readonly BroadcastMiddleware[] = [];

  constructor(
    private readonly moduleRef: ModuleRef,
    private readonly config: EventBusConfig,
  ) {}

  get isUsed(): boolean {
    return this.#middleware.length > 0;
  }

  async onModuleInit(): Promise<void> {
    this.#middleware = await resolveParts<BroadcastMiddleware>(this.moduleRef, this.config.broadcastMiddleware);
    requireDistinctNames('broadcastMiddleware', this.#middleware);
  }

  /** Until all of it has called next, or ended without. */
  async begin(event: EventEnvelope): Promise<Broadcast> {
    const decided = Promise.withResolvers<Decision>();
    const routed = Promise.withResolvers<BroadcastResult>();
    let deepest = '';
    let isPassed = false;
    const step = async (place: number): Promise<BroadcastResult> => {
      const middleware = this.#middleware[place];
      if (!middleware) {
        isPassed = true;
        decided.resolve({ kind: 'pass' });
        return routed.promise;
      }
      deepest = middleware.name;
      await middleware.broadcast(event, () => step(place + 1));
      return isPassed ? routed.promise : { deliveries: 0 };
    };
    // Whoever does not wait for the result must not bring the process down with it.
    routed.promise.catch(() => undefined);
    const chain = runWithTrace(event.traceId, () => step(0)).then(
      () => decided.resolve({ kind: 'stop', by: deepest }),
      (error: unknown) => {
        decided.resolve({ kind: 'fail' });
        this.#logger.error({
          msg: 'broadcast middleware failed',
          middleware: deepest,
          eventId: event.eventId,
          fault: faultOf(error),
        });
      },
    );
    return {
      event,
      decision: await decided.promise,
      end: async (result) => {
        if (result instanceof Error) {
          routed.reject(result);
        } else {
          routed.resolve(result);
        }
        await chain;
      },
    };
  }
}
