import { faultOf } from '@kernel/eventbus';
import { Injectable, Logger } from '@nestjs/common';
import {
  circuitBreaker,
  ConsecutiveBreaker,
  handleAll,
  isBrokenCircuitError,
  timeout,
  TimeoutStrategy,
  wrap,
  type IPolicy,
} from 'cockatiel';
import { SignaturesSettings } from '../settings/signatures-settings.js';
import { ChallengeProvider, type Challenge } from './challenge-provider.js';

export type Sending = 'sent' | 'failed' | 'refused';

/**
 * The provider behind a circuit breaker and a deadline: after several failures in a row calls are refused for a while.
 */
@Injectable()
export class GuardedProvider {
  readonly name: string;
  readonly failures: number;
  readonly openMs: number;
  readonly #logger = new Logger(GuardedProvider.name);
  readonly #policy: IPolicy;
  #untoldOpenings = 0;

  constructor(
    private readonly provider: ChallengeProvider,
    settings: SignaturesSettings,
  ) {
    const { failures = 3, openMs = 10_000, timeoutMs = 2_000 } = settings.provider ?? {};
    this.name = provider.name;
    this.failures = failures;
    this.openMs = openMs;
    const breaker = circuitBreaker(handleAll, { halfOpenAfter: openMs, breaker: new ConsecutiveBreaker(failures) });
    breaker.onBreak(() => this.#untoldOpenings++);
    this.#policy = wrap(breaker, timeout(timeoutMs, TimeoutStrategy.Aggressive));
  }

  /** `refused`: the breaker is open and the provider was not called. */
  async send(challenge: Challenge): Promise<Sending> {
    try {
      await this.#policy.execute(() => this.provider.send(challenge));
      return 'sent';
    } catch (error) {
      if (isBrokenCircuitError(error)) {
        return 'refused';
      }
      this.#logger.warn({ msg: 'the provider failed', provider: this.name, fault: faultOf(error) });
      return 'failed';
    }
  }

  /** Runs `tell` with true if an opening of the breaker is not published yet. If `tell` fails, it stays unpublished. */
  async tellOpening<T>(tell: (isOpening: boolean) => Promise<T>): Promise<T> {
    const isOpening = this.#untoldOpenings > 0;
    this.#untoldOpenings -= isOpening ? 1 : 0;
    try {
      return await tell(isOpening);
    } catch (error) {
      this.#untoldOpenings += isOpening ? 1 : 0;
      throw error;
    }
  }
}
