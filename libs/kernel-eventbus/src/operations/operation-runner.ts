import { EntityManager } from '@mikro-orm/postgresql';
import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import type { Kysely } from 'kysely';
import { appendEntries } from '../audit/append-entries.sql.js';
import { KERNEL_ACTOR } from '../audit/ledger-entry.js';
import { EventBusConfig } from '../eventbus.options.js';
import { engineDatabase } from '../runtime/engine-database.js';
import { faultOf, firstLine } from '../runtime/fault.js';
import { Rounds } from '../runtime/rounds.js';
import { isLostConnection } from '../runtime/transient-fault.js';
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
/** For a statement of a batch, and between two of them, at least. */
const MIN_STATEMENT_MS = 20_000;

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
    // What may be counted in this time may take as long to find.
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

  /** False when it has ended already. */
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

  /** The batch was rolled back. Others have their turn before it is tried again. */
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

/** Whoever cancels an operation is told that nothing more is done: so the batch that was under way must not count. */
function requireUnderWay(isUnderWay: boolean): void {
  if (!isUnderWay) {
    throw new EndedMeanwhile();
  }
}
