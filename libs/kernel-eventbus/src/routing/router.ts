import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { BroadcastPipeline } from '../dispatch/broadcast-pipeline.js';
import { EventBusConfig } from '../eventbus.config.js';
import { DONE_AGAIN_IF_LOST, readThenWrite } from '@kernel/runtime';
import { StageHooks } from '../runtime/stage-hooks.js';
import { PipelineObservers } from '../telemetry/pipeline-observers.js';
import { traceRouting } from '../telemetry/spans.js';
import { claimPendingEvents, type ClaimedEvent } from './pending-events.sql.js';
import { EventFanOut } from './event-fan-out.js';
import { EventMatcher } from './event-matcher.js';
import { MiddlewareRouting } from './middleware-routing.js';
import type { FannedOut, RoutedBatch, Sending } from './routed-batch.js';
import type { Room } from './room.js';

/** Events per batch while no more wait than one batch takes: a small batch is sent sooner. */
const MAX_PROMPT_EVENTS = 32;

const NEVER = new AbortController().signal;
const NIL_TENANT = '00000000-0000-0000-0000-000000000000';

export interface RouteRequest extends Sending {
  /** Events in the batch. Default: `routingBatchSize`. */
  limit?: number;
  /** Tenants whose events are skipped. Default: none. */
  exceptTenantIds?: readonly string[];
  /** Ends waiting for middleware. */
  signal?: AbortSignal;
}

/** Routes batches of pending events, each in one transaction. While events wait, tenants take turns. */
@Injectable()
export class Router {
  #lastTenantId = NIL_TENANT;
  /** The last batch was full, so tenants share the next. */
  #isCrowded = false;
  readonly #middleware: MiddlewareRouting;

  constructor(
    private readonly em: EntityManager,
    private readonly config: EventBusConfig,
    private readonly hooks: StageHooks,
    private readonly observers: PipelineObservers,
    private readonly broadcasts: BroadcastPipeline,
    matcher: EventMatcher,
    private readonly fanOut: EventFanOut,
  ) {
    this.#middleware = new MiddlewareRouting(em, broadcasts, matcher);
  }

  /** True if more waits than a batch takes, and a second batch beside it would not wait for the same streams. */
  get hasBacklog(): boolean {
    return this.#isCrowded && !this.fanOut.isInTheWay;
  }

  /**
   * `room`: the number of deliveries that the worker can send at once; the others wait in the queue. Those it can send
   * are passed to `begin`, small batches while they are being written. Returns when the batch is written.
   */
  async routeBatch(room: Room, request: RouteRequest = {}): Promise<RoutedBatch> {
    const { limit = this.config.routingBatchSize, exceptTenantIds = [], signal = NEVER, ...sending } = request;
    const startedAt = Date.now();
    const { events, leased, queued } = this.broadcasts.isUsed
      ? await this.#middleware.route(
          { limit, exceptTenantIds },
          (claimed, transaction, notes) => this.fanOut.fanOut(claimed, transaction, room, sending, notes),
          signal,
        )
      : await this.routePending(room, { limit, exceptTenantIds }, sending);
    if (events.length > 0) {
      this.hooks.reached('routed');
      this.observers.routed(events);
      traceRouting(events, startedAt);
    }
    return { routed: events.length, leased, queued };
  }

  private routePending(
    room: Room,
    { limit, exceptTenantIds }: Required<Pick<RouteRequest, 'limit' | 'exceptTenantIds'>>,
    sending: Sending,
  ): Promise<FannedOut> {
    const isInTurn = this.#isCrowded || exceptTenantIds.length > 0;
    const claim = {
      limit: isInTurn ? limit : Math.min(limit, MAX_PROMPT_EVENTS),
      afterTenantId: isInTurn ? this.#lastTenantId : undefined,
      exceptTenantIds,
    };
    return readThenWrite(
      this.em,
      claimPendingEvents(claim),
      (claimed: ClaimedEvent[], transaction) => {
        const isFull = (claimed[0]?.lockedCount ?? 0) >= Math.min(claim.limit, claimed.length + 1);
        return this.fanOut.fanOut(claimed, transaction, room, sending, undefined, ({ events, lastTenantId }) => {
          if (exceptTenantIds.length === 0) {
            this.#isCrowded = isFull || events.length < claimed.length || isShareUsedUp(claimed);
            this.#lastTenantId = lastTenantId ?? NIL_TENANT;
          }
        });
      },
      DONE_AGAIN_IF_LOST,
    );
  }
}

/** True if tenants take turns and one of them used up its share, so that more of its events may wait. */
function isShareUsedUp(events: readonly { tenantId: string; share?: number }[]): boolean {
  const counts = new Map<string, number>();
  events.forEach(({ tenantId }) => counts.set(tenantId, (counts.get(tenantId) ?? 0) + 1));
  return Math.max(...counts.values()) >= (events[0]?.share ?? Infinity);
}
