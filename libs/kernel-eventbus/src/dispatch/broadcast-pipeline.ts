import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import type { EventEnvelope } from '../envelope/event-envelope.js';
import { BroadcastLateError } from '../eventbus.errors.js';
import { EventBusConfig } from '../eventbus.config.js';
import { faultOf } from '@kernel/runtime';
import { runWithTrace } from '../trace/trace-context.js';
import type { BroadcastMiddleware, BroadcastResult } from './broadcast-middleware.js';
import { requireDistinctNames } from './require-distinct-names.js';
import { resolveParts } from './resolve-parts.js';

/** State of an event's middleware. */
export interface Broadcast {
  event: EventEnvelope;
  /** `pass`: all called `next`; `stop`: one ended without; `fail`: one threw or was late. */
  decision: Decision;
  /** Passes the result to the middleware and waits until it has ended or is late. */
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

  /** Waits until all middleware has called `next`, one ended without, or one is late; not beyond `signal`. */
  async begin(event: EventEnvelope, signal: AbortSignal): Promise<Broadcast> {
    const decided = Promise.withResolvers<Decision>();
    const routed = Promise.withResolvers<BroadcastResult>();
    let deepest = '';
    let isPassed = false;
    let isLate = false;
    const fail = (error: unknown) => {
      decided.resolve({ kind: 'fail' });
      this.#logger.error({
        msg: 'broadcast middleware failed',
        middleware: deepest,
        eventId: event.eventId,
        fault: faultOf(error),
      });
    };
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
    // Middleware that does not await the result must not crash the process with an unhandled rejection.
    routed.promise.catch(() => undefined);
    const chain = runWithTrace(event.traceId, () => step(0)).then(
      () => decided.resolve({ kind: 'stop', by: deepest }),
      (error: unknown) => isLate || fail(error),
    );
    const isInTime = (work: Promise<unknown>) => endsWithin(work, this.config.broadcastTimeoutMs, signal);
    if (!(await isInTime(decided.promise))) {
      const late = new BroadcastLateError(this.config.broadcastTimeoutMs);
      isLate = true;
      fail(late);
      routed.reject(late);
    }
    return {
      event,
      decision: await decided.promise,
      end: async (result) => {
        if (result instanceof Error) {
          routed.reject(result);
        } else {
          routed.resolve(result);
        }
        if (!(await isInTime(chain))) {
          this.#logger.warn({
            msg: 'broadcast middleware did not end in time; nobody waits for it any longer',
            middleware: deepest,
            eventId: event.eventId,
          });
        }
      },
    };
  }
}

/** False: it has not ended in time. */
async function endsWithin(work: Promise<unknown>, timeoutMs: number, signal: AbortSignal): Promise<boolean> {
  const late = Promise.withResolvers<false>();
  const giveUp = () => late.resolve(false);
  const timer = setTimeout(giveUp, timeoutMs);
  signal.addEventListener('abort', giveUp, { once: true });
  if (signal.aborted) {
    giveUp();
  }
  try {
    return await Promise.race([work.then(() => true), late.promise]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', giveUp);
  }
}
