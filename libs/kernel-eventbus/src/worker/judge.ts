import { Injectable } from '@nestjs/common';
import { EventBusConfig } from '../eventbus.config.js';
import type { OutgoingResult } from '@kernel/outgoing-http';
import { Random, Clock } from '@kernel/runtime';
import { backoffMs } from '../judgement/backoff.js';
import { boundDelay } from '../judgement/bound-delay.js';
import type { ClaimedDelivery } from '../deliveries/claimed-delivery.js';
import type { Outcome } from '../judgement/judge-attempt.js';

/** Applies the application's `judge` and the endpoint's retry policy, with bounded delays. */
@Injectable()
export class Judge {
  constructor(
    private readonly config: EventBusConfig,
    private readonly random: Random,
    private readonly clock: Clock,
  ) {}

  outcomeOf(delivery: ClaimedDelivery, result: OutgoingResult): Outcome {
    const attempt = delivery.attempts + 1;
    const own = delivery.endpoint.retry;
    const retry = own ? { ...this.config.retry, ...own } : this.config.retry;
    const fraction = this.random.fraction();
    const outcome = this.config.judge(result, { attempt, retry, fraction, now: this.clock.now() });
    return boundDelay(outcome, () => backoffMs(attempt, retry, fraction));
  }

  /** Every claim without an attempt that counts has deferred the delivery once more. */
  delayOfDeferral({ leaseEpoch, attempts }: ClaimedDelivery): number {
    const deferrals = Math.max(0, leaseEpoch - attempts - 1);
    return backoffMs(deferrals + 1, this.config.retry, this.random.fraction());
  }
}
