import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { ActivityRecorder } from '../activity/activity-recorder.js';
import { EventBusConfig } from '../eventbus.config.js';
import { TransientRetry } from '@kernel/runtime';
import { DeliveryProcessor } from './delivery-processor.js';
import { HeldWork } from './held-work.js';
import { WorkTracker } from './work-tracker.js';
import { WorkerPresence } from './worker-presence.js';

/** Starts and stops the worker's parts in order. */
@Injectable()
export class WorkerLifecycle implements OnApplicationBootstrap, BeforeApplicationShutdown {
  constructor(
    private readonly config: EventBusConfig,
    private readonly presence: WorkerPresence,
    private readonly processor: DeliveryProcessor,
    private readonly held: HeldWork,
    private readonly work: WorkTracker,
    private readonly retry: TransientRetry,
    private readonly activity: ActivityRecorder,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    if (this.config.role !== 'api') {
      this.held.listen();
      await this.presence.start(() => this.isStuck());
      this.processor.start();
    }
  }

  /** Stops claiming, waits for requests in flight, and releases the rest without using up an attempt. */
  async beforeApplicationShutdown(): Promise<void> {
    this.processor.close();
    // Set before the poll in progress is awaited: it may wait itself, for middleware or for requests in flight.
    const deadline = setTimeout(() => this.abandon(), this.config.shutdownTimeoutMs);
    await this.processor.stop();
    this.held.stopListening();
    await this.work.finish();
    clearTimeout(deadline);
    await this.activity.stop();
    if (this.config.role !== 'api') {
      await this.presence.stop();
    }
  }

  /** The poll in progress takes too long, and no delivery has ended meanwhile. */
  private isStuck(): boolean {
    const { leaseMs, broadcastTimeoutMs } = this.config;
    const limitMs = Math.max(leaseMs, 2 * broadcastTimeoutMs);
    return this.processor.pollMs > limitMs && performance.now() - this.work.lastEndMs > limitMs;
  }

  private abandon(): void {
    this.processor.abandon();
    this.held.abort();
    this.retry.stop();
    this.presence.abandon();
  }
}
