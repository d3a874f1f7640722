import { Injectable, Logger } from '@nestjs/common';
import { EventBusConfig } from '../eventbus.config.js';
import { Router } from '../routing/router.js';
import { faultOf } from '@kernel/runtime';
import { QueueClaims } from './claim/queue-claims.js';
import { REFILL, Slots, type Reservation, type Share } from './slots.js';
import { WorkTracker } from './work-tracker.js';

/** Routes pending events and begins to send their deliveries, as far as this worker has free places. */
@Injectable()
export class BatchRouting {
  readonly #logger = new Logger(BatchRouting.name);
  readonly #abandon = new AbortController();

  constructor(
    private readonly config: EventBusConfig,
    private readonly router: Router,
    private readonly slots: Slots,
    private readonly work: WorkTracker,
    private readonly queue: QueueClaims,
  ) {}

  /**
   * Routes as many events as there are places, so that their deliveries need not be claimed again. A worker with all
   * places free routes two batches at a time while events wait.
   */
  async routeAll(free: number): Promise<number> {
    if (free <= 0) {
      return 0;
    }
    const batches = this.router.hasBacklog && free >= 2 * REFILL * this.config.concurrency ? 2 : 1;
    const limit = Math.min(Math.ceil(free / batches), this.config.routingBatchSize);
    const routed = await Promise.all(
      Array.from({ length: batches }, () => this.route(this.slots.reserve(limit), { limit })),
    );
    return routed.reduce((sum, count) => sum + count);
  }

  /** Routes events of tenants without a place into the reserve. */
  async routeForNewcomers(share: Share): Promise<void> {
    await this.route(this.slots.reserveForNewcomers(share), share);
  }

  /** Stops waiting for middleware. */
  abandon(): void {
    this.#abandon.abort();
  }

  private async route(
    room: Reservation,
    claim: Pick<Share, 'limit'> & Partial<Pick<Share, 'exceptTenantIds'>>,
  ): Promise<number> {
    const asOf = this.work.countChanges();
    try {
      const { routed, queued } = await this.router.routeBatch(room, {
        ...claim,
        signal: this.#abandon.signal,
        begin: (deliveries, written) => {
          const settled = written.catch(() => undefined);
          deliveries.forEach((delivery) => void this.work.delivery(delivery, asOf, settled));
        },
        release: (deliveryIds) => this.work.releaseUnbegun(deliveryIds),
      });
      if (queued > 0) {
        this.queue.noteWaiting();
      }
      return routed;
    } catch (error) {
      // Retries do not wait for events that cannot be routed.
      this.#logger.error({ msg: 'routing failed; trying again', fault: faultOf(error) });
      return 0;
    } finally {
      room.end();
    }
  }
}
