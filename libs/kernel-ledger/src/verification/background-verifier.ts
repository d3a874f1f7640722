import { EntityManager } from '@mikro-orm/postgresql';
import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import type { Kysely } from 'kysely';
import { LedgerConfig } from '../ledger.config.js';
import { faultOf, IntervalJob, engineDatabase, UPKEEP_STATEMENT_MS } from '@kernel/runtime';
import { ChainWalk, type Walked } from './chain-walk.js';
import { readClock } from '../sealing/entries.sql.js';
import { SealKey } from '../sealing/seal-key.js';
import { BEGINNING } from './verified-place.js';
import { takeVerificationTurn } from './verification-state.sql.js';
import { VerificationCheckpoint } from './verification-checkpoint.js';
import { isWholeDue, type VerificationState } from './verification-state.js';

const NAME = 'kernel-eventbus-verifier';

/**
 * Limits of one round, about two seconds of reading. A busy ledger has few seals with many entries, a quiet one many
 * seals with few.
 */
const MAX_SEALS = 2_000;
const MAX_ENTRIES = 50_000;

/** KER-1, KFM-8: verifies new seals in the background, one process at a time, and periodically the whole ledger. */
@Injectable()
export class BackgroundVerifier implements OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown {
  readonly #logger = new Logger(BackgroundVerifier.name);
  readonly #job: IntervalJob;
  #isStopping = false;

  constructor(
    private readonly em: EntityManager,
    private readonly config: LedgerConfig,
    private readonly key: SealKey,
    private readonly checkpoint: VerificationCheckpoint,
    scheduler: SchedulerRegistry,
  ) {
    this.#job = new IntervalJob(scheduler, NAME, () => this.round());
  }

  onApplicationBootstrap(): void {
    if (this.config.isWorker) {
      this.#job.start(this.config.verification.intervalMs);
    }
  }

  /** Does not wait here: Nest would keep the worker claiming until the current run ends. */
  beforeApplicationShutdown(): void {
    this.#isStopping = true;
    this.#job.cancel();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.#job.stop();
  }

  /** Undefined while another process verifies. */
  look({ maxSeals = MAX_SEALS, maxEntries = MAX_ENTRIES } = {}): Promise<Walked | undefined> {
    return engineDatabase(this.em, UPKEEP_STATEMENT_MS)
      .transaction()
      .execute(async (trx) =>
        (await takeVerificationTurn(trx)) ? this.walkOn(trx, { maxSeals, maxEntries }) : undefined,
      );
  }

  private async round(): Promise<void> {
    await this.look().catch((error: unknown) =>
      this.#logger.error({ msg: 'verifying failed; trying again', fault: faultOf(error) }),
    );
  }

  private async walkOn(trx: Kysely<unknown>, limits: { maxSeals: number; maxEntries: number }): Promise<Walked> {
    const now = await readClock(trx, 0);
    const before = await this.checkpoint.recall(trx, now);
    const isWhole = isWholeDue(before, now, this.config.verification.wholeHours);
    const start = isWhole ? { ...before, place: BEGINNING, beganAt: now } : before;
    const walked = await new ChainWalk(trx, this.key).from(start.place, {
      ...limits,
      isStopping: () => this.#isStopping,
    });
    await this.checkpoint.keep(trx, toState(start, walked, await readClock(trx, 0)), before);
    return walked;
  }
}

/** A finding is cleared only by a walk that reaches the end, because that walk has passed the broken position. */
function toState(start: VerificationState, { place, broken, isEnd }: Walked, now: string): VerificationState {
  const endedAt = isEnd ? now : start.endedAt;
  const isOrdered = start.finding?.isOrdered ?? false;
  const isTakenBack = isEnd && !isOrdered;
  const finding = broken ? { ...broken, seenAt: now, isOrdered } : isTakenBack ? null : start.finding;
  return { place, beganAt: start.beganAt, endedAt, finding };
}
