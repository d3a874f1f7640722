import { EntityManager } from '@mikro-orm/postgresql';
import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { EventBusConfig } from '../eventbus.options.js';
import { Router } from '../routing/router.js';
import { AdaptivePolling } from '../runtime/adaptive-polling.js';
import { faultOf } from '../runtime/fault.js';
import { runWithTrace } from '../runtime/trace-context.js';
import { WakeUp } from '../runtime/wake-up.js';
import { WorkerIdentity } from '../runtime/worker-identity.js';
import { claimDeliveries, type ClaimedDelivery } from './claim-deliveries.sql.js';
import { DeliveryAttempt } from './delivery-attempt.js';
import { parkDelivery } from './park-delivery.sql.js';
import { releaseLeases } from './release-leases.sql.js';
import { SettlementRecorder } from './settlement-recorder.js';

/** Added to an attempt's own deadline: time for preparing, and for writing what came of it. */
const LEASE_MARGIN_MS = 20_000;

/** The worker: looks for work when nudged and at the scheduled times, and keeps up to `concurrency` deliveries in flight. */
@Injectable()
export class DeliveryProcessor implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #logger = new Logger(DeliveryProcessor.name);
  readonly #inFlight = new Set<Promise<void>>();
  readonly #abandon = new AbortController();
  #isStopping = false;

  constructor(
    private readonly em: EntityManager,
    private readonly config: EventBusConfig,
    private readonly router: Router,
    private readonly attempt: DeliveryAttempt,
    private readonly recorder: SettlementRecorder,
    private readonly worker: WorkerIdentity,
    private readonly polling: AdaptivePolling,
    private readonly wakeUp: WakeUp,
  ) {}

  onApplicationBootstrap(): void {
    if (this.config.role !== 'api') {
      this.polling.start('kernel-eventbus-delivery', () => this.look());
    }
  }

  /** Stops claiming, waits for what is in flight, and gives back the rest without using up an attempt. */
  async beforeApplicationShutdown(): Promise<void> {
    this.#isStopping = true;
    await this.polling.stop();
    const deadline = setTimeout(() => this.#abandon.abort(), this.config.shutdownTimeoutMs);
    await Promise.all(this.#inFlight);
    clearTimeout(deadline);
    if (this.config.role !== 'api') {
      await releaseLeases(this.em.fork().getKysely(), this.worker.id).catch((error: unknown) =>
        this.#logger.warn({ msg: 'leases were not given back; they run out by themselves', fault: faultOf(error) }),
      );
    }
  }

  /** Routes and claims once. True when there may be more. */
  private async look(): Promise<boolean> {
    const routed = await this.route();
    const limit = this.config.concurrency - this.#inFlight.size;
    const claimed = limit > 0 && !this.#isStopping ? await this.claim(limit) : [];
    claimed.forEach((delivery) => this.begin(delivery));
    return routed > 0 || claimed.length > 0;
  }

  /** Retries do not wait for what cannot be routed. */
  private async route(): Promise<number> {
    try {
      return await this.router.routeBatch();
    } catch (error) {
      this.#logger.error({ msg: 'routing failed; trying again', fault: faultOf(error) });
      return 0;
    }
  }

  private claim(limit: number): Promise<ClaimedDelivery[]> {
    const leaseMs = this.config.timeoutMs + LEASE_MARGIN_MS;
    return claimDeliveries(this.em.fork().getKysely(), { limit, leaseMs, workerId: this.worker.id });
  }

  private begin(delivery: ClaimedDelivery): void {
    const work: Promise<void> = runWithTrace(delivery.traceId, () => this.deliver(delivery)).finally(() => {
      this.#inFlight.delete(work);
      this.wakeUp.nudge();
    });
    this.#inFlight.add(work);
  }

  private async deliver(delivery: ClaimedDelivery): Promise<void> {
    try {
      if (!delivery.isEnabled && !delivery.isDeleted) {
        await parkDelivery(this.em.fork().getKysely(), delivery, this.worker.id);
        return;
      }
      const settlement = await this.attempt.perform(delivery, this.#abandon.signal);
      if (!this.#abandon.signal.aborted) {
        await this.recorder.record(settlement);
      }
    } catch (error) {
      // Nothing is recorded, so the lease runs out and the delivery is tried again with the same id.
      this.#logger.error({ msg: 'delivery was not recorded', deliveryId: delivery.deliveryId, fault: faultOf(error) });
    }
  }
}
