import { EntityManager } from '@mikro-orm/postgresql';
import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import type { Kysely } from 'kysely';
import { appendEntries, KERNEL_ACTOR } from '@kernel/ledger';
import { EventBusConfig } from '../../eventbus.config.js';
import { engineDatabase, faultOf, firstLine, IntervalJob, isLostConnection } from '@kernel/runtime';
import { WakeUp } from '../../runtime/wake-up.js';
import { claimOperation, endOperation, moveOperation, setBackOperation, type Ending } from './operations.sql.js';
import { EndedMeanwhile } from './ended-meanwhile.error.js';
import type { ClaimedOperation } from './operation.js';
import { operationEntry } from './operation-entry.js';
import { OperationWorks } from './operation-works.js';

const NAME = 'kernel-eventbus-operations';
const LONGEST_LOOK_MS = 1_000;
const FAULTS_TO_GIVE_UP = 10;
const PAUSE_AFTER_FAULT_MS = 5_000;
/** Minimum time limit for a statement of a batch and for the idle time between two. */
const MIN_STATEMENT_MS = 20_000;

/**
 * Runs operations in batches, each in one transaction with the operation's progress. Workers need no coordination: the
 * claim is a transaction-level lock, the pause is stored in the row, and a crash leaves both consistent.
 */
@Injectable()
export class OperationRunner implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #logger = new Logger(OperationRunner.name);
  readonly #job: IntervalJob;
  #isStopping = false;

  constructor(
    private readonly em: EntityManager,
    private readonly config: EventBusConfig,
    private readonly works: OperationWorks,
    private readonly wakeUp: WakeUp,
    scheduler: SchedulerRegistry,
  ) {
    this.#job = new IntervalJob(scheduler, NAME, () => this.round());
  }

  onApplicationBootstrap(): void {
    if (this.config.role !== 'api') {
      this.#job.start(Math.min(this.config.operations.pauseMs, LONGEST_LOOK_MS));
    }
  }

  beforeApplicationShutdown(): Promise<void> {
    this.#isStopping = true;
    return this.#job.stop();
  }

  private async round(): Promise<void> {
    try {
      while (!this.#isStopping && (await this.runNext())) {
        // One batch per due operation.
      }
    } catch (error) {
      this.#logger.error({ msg: 'operations could not be looked for', fault: faultOf(error) });
    }
  }

  /** False if no operation is due. */
  private async runNext(): Promise<boolean> {
    let claimed: ClaimedOperation | undefined;
    try {
      return await this.transact(async (trx) => {
        claimed = await claimOperation(trx);
        return claimed ? this.runBatch(trx, claimed) : false;
      });
    } catch (error) {
      if (!claimed) {
        throw error;
      }
      if (!(error instanceof EndedMeanwhile)) {
        await this.setBack(claimed, error);
      }
      return true;
    } finally {
      if (claimed) {
        this.wakeUp.nudge();
        this.wakeUp.published();
      }
    }
  }

  private transact<T>(work: (trx: Kysely<unknown>) => Promise<T>): Promise<T> {
    // Selecting a batch can take as long as the count.
    const statementMs = Math.max(MIN_STATEMENT_MS, 2 * this.config.operations.countTimeoutMs);
    return engineDatabase(this.em, statementMs, statementMs).transaction().execute(work);
  }

  private async runBatch(trx: Kysely<unknown>, operation: ClaimedOperation): Promise<true> {
    const { batchSize, pauseMs } = this.config.operations;
    const { done, next, stop } = await this.works.of(operation.kind).batch(trx, operation, batchSize);
    if (next) {
      requireUnderWay(await moveOperation(trx, operation.operationId, { done, next }, pauseMs));
    } else {
      requireUnderWay(await this.end(trx, operation, { state: stop ? 'failed' : 'completed', done, error: stop }));
    }
    return true;
  }

  /** False if it had ended already. */
  private async end(trx: Kysely<unknown>, operation: ClaimedOperation, ending: Ending): Promise<boolean> {
    const ended = await endOperation(trx, operation.operationId, ending);
    if (!ended) {
      return false;
    }
    const outcome = { ...ended, ...(ending.error && { error: ending.error }) };
    await appendEntries(trx, [operationEntry('operation-ended', { ...operation, actor: KERNEL_ACTOR }, outcome)]);
    this.#logger.log({ msg: 'operation ended', operationId: operation.operationId, ...outcome });
    return true;
  }

  /** Delays the next try after a rolled back batch, so that other operations run first. */
  private async setBack(operation: ClaimedOperation, error: unknown): Promise<void> {
    const { operationId } = operation;
    if (isLostConnection(error)) {
      this.#logger.warn({ msg: 'a batch of an operation lost its connection', operationId, fault: faultOf(error) });
      return;
    }
    this.#logger.error({ msg: 'a batch of an operation failed', operationId, fault: faultOf(error) });
    const text = firstLine(error);
    const faults = await setBackOperation(engineDatabase(this.em), operationId, text, PAUSE_AFTER_FAULT_MS);
    if (faults >= FAULTS_TO_GIVE_UP) {
      await this.transact((trx) => this.end(trx, operation, { state: 'failed', error: text }));
    }
  }
}

/** A cancelled operation promises that nothing more is requeued, so its running batch must roll back. */
function requireUnderWay(isUnderWay: boolean): void {
  if (!isUnderWay) {
    throw new EndedMeanwhile();
  }
}
