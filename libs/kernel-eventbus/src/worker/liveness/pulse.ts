import { EventEmitter, once } from 'node:events';
import { Injectable } from '@nestjs/common';
import { EventBusConfig } from '../../eventbus.config.js';

/** Fractions of the silence after which a rescuer acts. */
const TRUSTED = 0.75;
const GAP = 0.5;
/**
 * Silence periods with steady heartbeats before expired leases are claimed: in the second, rescuers release the leases
 * of silent workers.
 */
const SILENCES_BEFORE_EXPIRY = 2;

export interface Moment {
  monotonicMs: number;
  wallMs: number;
}

/**
 * The worker's view of its own heartbeats. Uses two clocks: the monotonic one may stop while the machine sleeps, the
 * wall clock may be changed.
 */
@Injectable()
export class Pulse {
  readonly #emitter = new EventEmitter().setMaxListeners(0);
  readonly #silentMs: number;
  #last: Moment | undefined;
  #steadySince: Moment | undefined;
  /** True if the steady period began after a gap instead of at startup. */
  #hasRecovered = false;
  #isStopped = false;

  constructor({ heartbeat }: EventBusConfig) {
    this.#silentMs = heartbeat.silentMs;
  }

  now(): Moment {
    return { monotonicMs: performance.now(), wallMs: Date.now() };
  }

  /** True while no other worker can have taken this worker's leases. */
  get isFresh(): boolean {
    return this.isYoungerThan(TRUSTED * this.#silentMs);
  }

  /** True if its own heartbeats were steady for the full silence period. */
  get mayRescue(): boolean {
    return this.isSteadyFor(this.#silentMs);
  }

  /** Time since heartbeats resumed after a gap; undefined if there was none. */
  get databaseBackMs(): number | undefined {
    return this.#hasRecovered ? Math.min(...this.elapsedSince(this.#steadySince!)) : undefined;
  }

  /** True if live workers have renewed their leases and those of silent workers have been released. */
  get mayTakeExpired(): boolean {
    return this.isSteadyFor(SILENCES_BEFORE_EXPIRY * this.#silentMs);
  }

  /** Waits for the next heartbeat if the last is too old. False if the worker stops first. */
  async untilFresh(): Promise<boolean> {
    while (!this.isFresh && !this.#isStopped) {
      await once(this.#emitter, 'beat');
    }
    return this.isFresh;
  }

  /** Records an answered heartbeat. `isNew`: the worker had no row. */
  note(sentAt: Moment, isNew: boolean): void {
    const isFirst = this.#last === undefined;
    const hasGap = !this.isYoungerThan(GAP * this.#silentMs);
    if (isNew && !isFirst) {
      this.#emitter.emit('lost');
    }
    this.#last = sentAt;
    if (hasGap) {
      this.#steadySince = sentAt;
      this.#hasRecovered = !isFirst;
    }
    this.#emitter.emit('beat');
    if (hasGap && !isFirst) {
      this.#emitter.emit('recovered');
    }
  }

  /**
   * Called if other workers declared this one dead and released its leases. Runs before any other reaction to the
   * heartbeat.
   */
  onLost(listener: () => void): void {
    this.#emitter.on('lost', listener);
  }

  /** Called at the first heartbeat after failed or late ones. */
  onRecovered(listener: () => void): void {
    this.#emitter.on('recovered', listener);
  }

  stop(): void {
    this.#isStopped = true;
    this.#emitter.emit('beat');
  }

  private isYoungerThan(ms: number): boolean {
    return this.#last !== undefined && Math.max(...this.elapsedSince(this.#last)) < ms;
  }

  private isSteadyFor(ms: number): boolean {
    return this.isYoungerThan(GAP * this.#silentMs) && Math.min(...this.elapsedSince(this.#steadySince!)) >= ms;
  }

  private elapsedSince({ monotonicMs, wallMs }: Moment): [number, number] {
    const now = this.now();
    return [now.monotonicMs - monotonicMs, now.wallMs - wallMs];
  }
}
