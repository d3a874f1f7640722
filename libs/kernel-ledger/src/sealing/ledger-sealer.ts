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
import { findBatchEnd } from './batch-end.js';
import { ChainHead } from './chain-head.js';
import { hashEntries } from './entries.sql.js';
import { insertSeal, readHead, takeSealTurn, type LastSeal } from './seals.sql.js';
import { headMessage, sealMessage, type LedgerSeal } from './ledger-seal.js';
import { SealHorizon } from './seal-horizon.js';
import { SealKey } from './seal-key.js';

const NAME = 'kernel-eventbus-sealer';

/** Entries per seal: a few megabytes at most when read for verification. */
const MAX_ENTRIES = 10_000;

const BEGINNING: LastSeal = { batchNumber: 0, toTime: '-infinity', seal: Buffer.alloc(0) };

/** KER-1, KFM-8: seals the ledger in the background, one process at a time. */
@Injectable()
export class LedgerSealer implements OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown {
  readonly #logger = new Logger(LedgerSealer.name);
  readonly #horizon: SealHorizon;
  readonly #job: IntervalJob;
  #isStopping = false;

  constructor(
    private readonly em: EntityManager,
    private readonly config: LedgerConfig,
    private readonly key: SealKey,
    private readonly chain: ChainHead,
    scheduler: SchedulerRegistry,
  ) {
    this.#horizon = new SealHorizon(config.sealing.lagMs);
    this.#job = new IntervalJob(scheduler, NAME, () => this.round());
  }

  onApplicationBootstrap(): void {
    if (this.config.isWorker) {
      this.#job.start(this.config.sealing.intervalMs);
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

  /** Seals all complete entries and returns their number. */
  async seal(): Promise<number> {
    const toTime = await this.#horizon.look(engineDatabase(this.em, UPKEEP_STATEMENT_MS));
    let sealed = 0;
    for (let isMore = toTime !== undefined; isMore && !this.#isStopping;) {
      const count = await this.sealBatch(toTime!);
      sealed += count;
      isMore = count > 0;
    }
    return sealed;
  }

  private async round(): Promise<void> {
    await this.seal().catch((error: unknown) => this.#logger.error({ msg: 'sealing failed', fault: faultOf(error) }));
  }

  private sealBatch(toTime: string): Promise<number> {
    return engineDatabase(this.em, UPKEEP_STATEMENT_MS)
      .transaction()
      .execute(async (trx) => {
        const last = (await takeSealTurn(trx)) ? await this.lastSeal(trx) : undefined;
        // Fixed-width text compares like the times.
        if (!last || (last.toTime !== BEGINNING.toTime && last.toTime >= toTime)) {
          return 0;
        }
        const end = await findBatchEnd(trx, last.toTime, toTime, MAX_ENTRIES);
        const entries = await hashEntries(trx, last.toTime, end);
        if (entries.entryCount > 0) {
          await this.append(trx, {
            batchNumber: last.batchNumber + 1,
            fromTime: last.toTime,
            toTime: end,
            ...entries,
            previousSeal: last.seal,
          });
        }
        return entries.entryCount;
      });
  }

  /** Undefined if seals are missing: continuing after the last remaining one would hide the loss. */
  private async lastSeal(trx: Kysely<unknown>): Promise<LastSeal | undefined> {
    const { head, last } = await readHead(trx);
    if (!head && !last) {
      this.chain.sawHead(false);
      return BEGINNING;
    }
    const isLast = head && last && head.batchNumber === last.batchNumber && head.seal.equals(last.seal);
    if (isLast && this.key.isSignatureOf(headMessage(head), head.signature)) {
      this.chain.sawHead(false);
      return last;
    }
    this.chain.sawHead(true);
    this.#logger.error({
      msg: 'nothing is sealed any more: the seals do not end where the head says; verify the ledger',
    });
    return undefined;
  }

  /** The log line is evidence outside the database: with it, a verification can detect removed seals. */
  private async append(trx: Kysely<unknown>, batch: Omit<LedgerSeal, 'seal'>): Promise<void> {
    const seal = this.key.sign(sealMessage(batch));
    const head = { batchNumber: batch.batchNumber, seal };
    await insertSeal(trx, { ...batch, seal }, { ...head, signature: this.key.sign(headMessage(head)) });
    const { batchNumber, entryCount, toTime } = batch;
    this.#logger.log({ msg: 'ledger sealed', batchNumber, entryCount, toTime, seal: seal.toString('base64') });
  }
}
