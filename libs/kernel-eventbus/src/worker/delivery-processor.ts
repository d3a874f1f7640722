import { Injectable } from '@nestjs/common';
import { AdaptivePolling } from './liveness/adaptive-polling.js';
import { Pulse } from './liveness/pulse.js';
import { BatchRouting } from './batch-routing.js';
import { QueueClaims } from './claim/queue-claims.js';
import { Slots } from './slots.js';
import { Suspects } from './suspects.js';
import { WorkTracker } from './work-tracker.js';

/** The worker's loop: polls for work when nudged and at the scheduled times, and fills its places. */
@Injectable()
export class DeliveryProcessor {
  constructor(
    private readonly polling: AdaptivePolling,
    private readonly pulse: Pulse,
    private readonly suspects: Suspects,
    private readonly queue: QueueClaims,
    private readonly routing: BatchRouting,
    private readonly slots: Slots,
    private readonly work: WorkTracker,
  ) {}

  start(): void {
    this.polling.start('kernel-eventbus-delivery', () => this.poll());
  }

  /** Begins no more claims. */
  close(): void {
    this.queue.close();
  }

  /** Resolves when no poll is in progress and no suspects are being tried. */
  async stop(): Promise<void> {
    await this.polling.stop();
    await this.queue.settled();
    await this.suspects.close();
  }

  abandon(): void {
    this.routing.abandon();
  }

  /** Duration of the poll in progress; 0: none. */
  get pollMs(): number {
    return this.polling.lookMs;
  }

  /** Routes and claims once. True if there may be more to do at once. */
  private async poll(): Promise<boolean> {
    // Without a heartbeat, deliveries claimed now could neither be sent nor be freed by a rescuer.
    if (!this.pulse.isFresh) {
      return false;
    }
    const isShort = !this.slots.canRefill;
    // If both have something to do, each gets half of the places, one at least, and neither waits for the other.
    const { free } = this.slots;
    const share = this.queue.isDue ? Math.ceil(free / 2) : free;
    const claiming = this.queue.claimIfDue(share, this.work);
    claiming.catch(() => undefined);
    const routed = await this.routing.routeAll(share);
    const hasClaimed = await claiming;
    // After the routing: polls that mostly find nothing must not slow fresh events down.
    this.suspects.tryBeside(this.work);
    this.queue.pollBeside(this.work);
    if (isShort) {
      await this.serveNewcomers();
    }
    const isBehind = this.slots.free <= 0;
    this.work.setBehind(isBehind);
    return !isBehind && (routed > 0 || hasClaimed);
  }

  /** One tenant may hold every place. Tenants that hold none are served from the reserve. */
  private async serveNewcomers(): Promise<void> {
    const share = this.slots.shareForNewcomers();
    if (share.limit > 0) {
      await this.routing.routeForNewcomers(share);
      await this.queue.claimForNewcomers(this.work);
    }
  }
}
