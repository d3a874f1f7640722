import { Injectable, Logger } from '@nestjs/common';
import { faultOf } from '@kernel/runtime';
import { Heartbeat } from './liveness/heartbeat.js';
import { Pulse } from './liveness/pulse.js';
import { LeaseKeeper } from './lease-keeper.js';
import { LeaseReleaser } from './lease-releaser.js';

/** Keeps this worker known to the others: heartbeats from before its first lease until after its last. */
@Injectable()
export class WorkerPresence {
  readonly #logger = new Logger(WorkerPresence.name);

  constructor(
    private readonly heartbeat: Heartbeat,
    private readonly pulse: Pulse,
    private readonly leases: LeaseKeeper,
    private readonly releaser: LeaseReleaser,
  ) {}

  async start(isStuck: () => boolean): Promise<void> {
    await this.heartbeat.start(isStuck);
    this.leases.start();
  }

  /** Requests that wait for the next heartbeat wait no longer. */
  abandon(): void {
    this.pulse.stop();
  }

  /** Releases all held leases and signs off. */
  async stop(): Promise<void> {
    try {
      await this.leases.stop();
      try {
        await this.releaser.releaseAll();
      } finally {
        await this.heartbeat.stop();
      }
    } catch (error) {
      this.#logger.warn({
        msg: 'leases were not given back; they are freed when this worker is missed',
        fault: faultOf(error),
      });
    }
  }
}
