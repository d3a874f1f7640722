import { Injectable, Logger } from '@nestjs/common';
import { EventBusConfig } from '@kernel/eventbus/engine';
import { Clock } from '@kernel/runtime';
import { networkOf } from './source-network.js';

/** Limit of remembered sources; beyond it the oldest is forgotten. */
const MAX_SOURCES = 10_000;

interface Window {
  failures: number;
  endsAtMs: number;
}

/**
 * Counts wrong tokens by source. A valid token is always accepted, however many wrong ones came from its address: a
 * whole company may share one address, and speed does not help to guess among 2^256 tokens. The limit is against noise:
 * it logs once, tells clients when to retry, and bounds the database lookups.
 */
@Injectable()
export class FailedAttempts {
  readonly #logger = new Logger(FailedAttempts.name);
  readonly #windows = new Map<string, Window>();

  constructor(
    private readonly config: EventBusConfig,
    private readonly clock: Clock,
  ) {}

  /** Counts a failure. Undefined within the limit; beyond it, the seconds until the next try is allowed. */
  note(address: string | undefined): number | undefined {
    const nowMs = this.clock.now().getTime();
    const source = networkOf(address);
    const window = this.windowOf(source, nowMs);
    window.failures += 1;
    const excess = window.failures - this.config.adminFailures.limit;
    if (excess === 1) {
      this.#logger.warn({ msg: 'too many wrong admin tokens from one source', source });
    }
    return excess > 0 ? Math.max(1, Math.ceil((window.endsAtMs - nowMs) / 1_000)) : undefined;
  }

  /** True if the next wrong token exceeds the limit. */
  isAtLimit(address: string | undefined): boolean {
    const window = this.#windows.get(networkOf(address));
    return (
      window !== undefined &&
      window.failures >= this.config.adminFailures.limit &&
      window.endsAtMs > this.clock.now().getTime()
    );
  }

  get rememberedSources(): number {
    return this.#windows.size;
  }

  private windowOf(source: string, nowMs: number): Window {
    const known = this.#windows.get(source);
    if (known && known.endsAtMs > nowMs) {
      return known;
    }
    this.#windows.delete(source);
    if (this.#windows.size >= MAX_SOURCES) {
      this.#windows.delete(this.#windows.keys().next().value!);
    }
    const window = { failures: 0, endsAtMs: nowMs + this.config.adminFailures.windowMs };
    this.#windows.set(source, window);
    return window;
  }
}
