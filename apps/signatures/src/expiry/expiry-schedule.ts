import { faultOf, newTraceId, runWithTrace } from '@kernel/eventbus';
import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { ExpireSignatures } from './expire-signatures.js';

const INTERVAL_MS = 1_000;

/** Expires due requests, one sweep at a time; each sweep has its own correlation id. */
@Injectable()
export class ExpirySchedule implements BeforeApplicationShutdown {
  readonly #logger = new Logger(ExpirySchedule.name);
  #look: Promise<void> | undefined;
  #isStopping = false;

  constructor(private readonly expireSignatures: ExpireSignatures) {}

  @Interval(INTERVAL_MS)
  tick(): void {
    if (!this.#isStopping) {
      this.#look ??= this.look().finally(() => (this.#look = undefined));
    }
  }

  /** Waits for the sweep, because the pool closes next. */
  async beforeApplicationShutdown(): Promise<void> {
    this.#isStopping = true;
    await this.#look;
  }

  private async look(): Promise<void> {
    try {
      const expired = await runWithTrace(newTraceId(), () => this.expireSignatures.execute());
      if (expired > 0) {
        this.#logger.log({ msg: 'signature requests expired', expired });
      }
    } catch (error) {
      this.#logger.error({ msg: 'looking for expired signature requests failed', fault: faultOf(error) });
    }
  }
}
