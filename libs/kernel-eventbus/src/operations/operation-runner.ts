import { EntityManager } from '@mikro-orm/postgresql';
import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import { appendEntries } from '../audit/append-entries.sql.js';
import { KERNEL_ACTOR } from '../audit/ledger-entry.js';
import { EventBusConfig } from '../eventbus.options.js';
import { faultOf, firstLine } from '../runtime/fault.js';
import { Rounds } from '../runtime/rounds.js';
import { WakeUp } from '../runtime/wake-up.js';
import { claimOperation } from './claim-operation.sql.js';
import { EndedMeanwhile } from './ended-meanwhile.error.js';
import { endOperation, type Ending } from './end-operation.sql.js';
import { moveOperation } from './move-operation.sql.js';
import type { ClaimedOperation } from './operation.js';
import { operationEntry } from './operation-entry.js';
import { OperationWorks } from './operation-works.js';
import { setBackOperation } from './set-back-operation.sql.js';

const NAME = 'kernel-eventbus-operations';
const LONGEST_LOOK_MS = 1_000;
const FAULTS_TO_GIVE_UP = 10;
const PAUSE_AFTER_FAULT_MS = 5_000;

/**
 * Does operations a batch at a time, each in one transaction with the operation's progress. Workers need not agree on who does
 * what: a lock of the transaction is the claim, a pause between batches is in the row, and a killed worker leaves both in order.
 */
@Injectable()
export class OperationRunner implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #logger = new Logger(OperationRunner.name);
  readonly #rounds: Rounds;
  #isStopping = false;

  constructor(
    private readonly em: EntityManager,
    private readonly config: EventBusConfig,
    private readonly works: OperationWorks,
    private readonly wakeUp: WakeUp,
    scheduler: SchedulerRegistry,
  ) {
    this.#rounds = new Rounds(scheduler, NAME, () => this.round());
  }

  onApplicationBootstrap(): void {
    if (this.config.role !== 'api') {
      this.#rounds.start(Math.min(this.config.operations.pauseMs, LONGEST_LOOK_MS));
    }
  }

  beforeApplicationShutdown(): Promise<void> {
    this.#isStopping = true;
    return this.#rounds.stop();
  }

  private async round(): Promise<void> {
    try {
      while (!this.#isStopping && (await this.runNext())) {
        // One batch each, until none has waited long enough.
      }
    } catch (error) {
      this.#logger.error({ msg: 'operations could not be looked for', fault: faultOf(error) });
    }
  }

  /** False when no operation is due. */
  private async runNext(): Promise<boolean> {
    let claimed: ClaimedOperation | undefined;
    try {
      return await this.em.fork().transactional(async (em) => {
        claimed = await claimOperation(em.getKysely());
        return claimed ? this.runBatch(em, claimed) : false;
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

  private async runBatch(em: EntityManager, operation: ClaimedOperation): Promise<true> {
    const { batchSize, pauseMs } = this.config.operations;
    const { done, next, stop } = await this.works.of(operation.kind).batch(em, operation, batchSize);
    if (next) {
      requireUnderWay(await moveOperation(em.getKysely(), operation.operationId, { done, next }, pauseMs));
    } else {
      requireUnderWay(await this.end(em, operation, { state: stop ? 'failed' : 'completed', done, error: stop }));
    }
    return true;
  }

  /** False when it has ended already. */
  private async end(em: EntityManager, operation: ClaimedOperation, ending: Ending): Promise<boolean> {
    const ended = await endOperation(em.getKysely(), operation.operationId, ending);
    if (!ended) {
      return false;
    }
    const outcome = { ...ended, ...(ending.error && { error: ending.error }) };
    await appendEntries(em.getKysely(), [
      operationEntry('operation-ended', { ...operation, actor: KERNEL_ACTOR }, outcome),
    ]);
    this.#logger.log({ msg: 'operation ended', operationId: operation.operationId, ...outcome });
    return true;
  }

  /** The batch was rolled back. Others have their turn before it is tried again. */
  private async setBack(operation: ClaimedOperation, error: unknown): Promise<void> {
    const { operationId } = operation;
    this.#logger.error({ msg: 'a batch of an operation failed', operationId, fault: faultOf(error) });
    const text = firstLine(error);
    const faults = await setBackOperation(this.em.fork().getKysely(), operationId, text, PAUSE_AFTER_FAULT_MS);
    if (faults >= FAULTS_TO_GIVE_UP) {
      await this.em.fork().transactional((em) => this.end(em, operation, { state: 'failed', error: text }));
    }
  }
}

/** Whoever cancels an operation is told that nothing more is done: so the batch that was under way must not count. */
function requireUnderWay(isUnderWay: boolean): void {
  if (!isUnderWay) {
    throw new EndedMeanwhile();
  }
}
