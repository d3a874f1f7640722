import { isIPv6 } from 'node:net';
import { Injectable, Logger } from '@nestjs/common';
import { EventBusConfig } from '../../eventbus.options.js';
import { Clock } from '../../runtime/clock.js';

/** Sources that are remembered at a time; when there are more, the oldest is forgotten. */
const MAX_SOURCES = 10_000;

interface Window {
  failures: number;
  endsAtMs: number;
}

/**
 * Counts wrong tokens by where they come from. A right token is let in however many wrong ones came from its address: behind one
 * address may sit a whole company, and whoever guesses among 2^256 tokens gains nothing by speed. What the limit stops is the
 * noise: it is told once, and answered so that decent clients cease.
 */
@Injectable()
export class FailedAttempts {
  readonly #logger = new Logger(FailedAttempts.name);
  readonly #windows = new Map<string, Window>();

  constructor(
    private readonly config: EventBusConfig,
    private readonly clock: Clock,
  ) {}

  /** Notes one more. Undefined within the limit; beyond it, after how many seconds to come again. */
  note(address: string | undefined): number | undefined {
    const nowMs = this.clock.now().getTime();
    const source = networkOf(address ?? 'unknown');
    const window = this.windowOf(source, nowMs);
    window.failures += 1;
    const excess = window.failures - this.config.adminFailures.limit;
    if (excess === 1) {
      this.#logger.warn({ msg: 'too many wrong admin tokens from one source', source });
    }
    return excess > 0 ? Math.max(1, Math.ceil((window.endsAtMs - nowMs) / 1_000)) : undefined;
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

/** Whoever has one IPv6 address has 2^64 of them: they count as one. */
function networkOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '');
  if (!isIPv6(plain)) {
    return plain;
  }
  const [left, right] = plain.split('::').map((half) => half.split(':').filter((group) => group !== ''));
  const groups = right ? [...left!, ...Array<string>(8 - left!.length - right.length).fill('0'), ...right] : left!;
  const network = groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${network.join(':')}::/64`;
}
