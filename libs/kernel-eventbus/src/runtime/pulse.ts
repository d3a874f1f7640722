import { EventEmitter, once } from 'node:events';
import { Injectable } from '@nestjs/common';
import { EventBusConfig } from '../eventbus.options.js';

/** Parts of the silence that a rescuer waits for. */
const TRUSTED = 0.75;
const GAP = 0.5;
/** Silences to beat through before expired leases are taken: in the second, rescuers free what silent workers hold. */
const SILENCES_BEFORE_EXPIRY = 2;

export interface Moment {
  monotonicMs: number;
  wallMs: number;
}

/**
 * What a worker knows of its own heartbeats. Two clocks are asked: the monotonic one may stand still while a machine sleeps, and
 * the wall's may be set.
 */
@Injectable()
export class Pulse {
  readonly #emitter = new EventEmitter().setMaxListeners(0);
  readonly #silentMs: number;
  #last: Moment | undefined;
  #steadySince: Moment | undefined;
  /** The steady time began after a gap, not with the start of this process. */
  #hasRecovered = false;
  #isStopped = false;

  constructor({ heartbeat }: EventBusConfig) {
    this.#silentMs = heartbeat.silentMs;
  }

  now(): Moment {
    return { monotonicMs: performance.now(), wallMs: Date.now() };
  }

  /** No other worker can have taken what this one holds. */
  get isFresh(): boolean {
    return this.isYoungerThan(TRUSTED * this.#silentMs);
  }

  /** Its own heartbeats came through without a gap for as long as the silence of others has to last. */
  get mayRescue(): boolean {
    return this.isSteadyFor(this.#silentMs);
  }

  /** Since when its heartbeats come through again after a gap; undefined: there was none. */
  get databaseBackMs(): number | undefined {
    return this.#hasRecovered ? Math.min(...this.elapsedSince(this.#steadySince!)) : undefined;
  }

  /** Workers that live have renewed their leases, and what silent ones held is free. */
  get mayTakeExpired(): boolean {
    return this.isSteadyFor(SILENCES_BEFORE_EXPIRY * this.#silentMs);
  }

  /** Waits for the next heartbeat where the last is too old. False: the worker stops before one comes. */
  async untilFresh(): Promise<boolean> {
    while (!this.isFresh && !this.#isStopped) {
      await once(this.#emitter, 'beat');
    }
    return this.isFresh;
  }

  /** A heartbeat that was sent at this moment was answered. `isNew`: it found no row of this worker. */
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

  /** Others took this worker for dead and have freed what it held. Called before anything goes on. */
  onLost(listener: () => void): void {
    this.#emitter.on('lost', listener);
  }

  /** The first heartbeat after some that failed or came late. */
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
