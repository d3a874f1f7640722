import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, Logger } from '@nestjs/common';
import { engineDatabase } from '../runtime/engine-database.js';
import { faultOf } from '../runtime/fault.js';
import { StageHooks } from '../runtime/stage-hooks.js';
import { TransientRetry } from '../runtime/transient-retry.js';
import { runWithTrace } from '../runtime/trace-context.js';
import { isLockTimeout, isTransient } from '../runtime/transient-fault.js';
import { WakeUp } from '../runtime/wake-up.js';
import { WorkerIdentity } from '../runtime/worker-identity.js';
import { appendMissingEntries } from '../audit/append-entries.sql.js';
import type { DeliveryReleasedError } from './delivery-released.error.js';
import { recordSettlements } from './record-settlements.sql.js';
import { attemptEntryOf, type Settlement } from './settlement.js';

interface Waiting {
  settlement: Settlement;
  resolve: (isSettled: boolean) => void;
  reject: (error: unknown) => void;
}

const MAX_BATCH = 200;
/** A statement for this many costs hardly more than one for a few, so while work keeps coming a batch waits for them. */
const GOOD_BATCH = 100;
const GATHER_MS = 10;

/**
 * Writes settlements in batches. The first is written at once; what comes in meanwhile goes into the next, which waits a
 * moment for more, unless somebody waits for one of them. While the database takes none, the answers that it is about are kept.
 */
@Injectable()
export class SettlementRecorder {
  readonly #logger = new Logger(SettlementRecorder.name);
  readonly #waiting: Waiting[] = [];
  #isWriting = false;
  #isAwaited = false;
  #endGathering: () => void = () => undefined;

  constructor(
    private readonly em: EntityManager,
    private readonly worker: WorkerIdentity,
    private readonly hooks: StageHooks,
    private readonly wakeUp: WakeUp,
    private readonly retry: TransientRetry,
  ) {}

  /**
   * False when the delivery had moved on under another lease, so that nothing was changed. `isAwaited`: something that could
   * go on now waits for this.
   */
  record(settlement: Settlement, { isAwaited = false } = {}): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ settlement, resolve, reject });
      this.#isAwaited ||= isAwaited;
      if (!this.#isWriting) {
        this.#isWriting = true;
        setImmediate(() => void this.writeAll());
      } else if (this.isGathered()) {
        this.#endGathering();
      }
    });
  }

  private async writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      this.#isAwaited = false;
      await this.write(this.#waiting.splice(0, MAX_BATCH));
      await this.gather();
    }
    this.#isWriting = false;
  }

  private async gather(): Promise<void> {
    if (this.isGathered()) {
      return;
    }
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, GATHER_MS);
      this.#endGathering = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  private isGathered(): boolean {
    return this.#isAwaited || this.#waiting.length >= GOOD_BATCH;
  }

  private async write(batch: Waiting[]): Promise<void> {
    const settlements = batch.map(({ settlement }) => settlement);
    try {
      const recorded = await this.retry.run('outcomes', () => recordSettlements(this.em, settlements, this.worker.id), {
        // One row that somebody holds locked must not hold the outcomes of others up.
        isOver: (error) => batch.length > 1 && isLockTimeout(error),
      });
      const changed = new Set(recorded.changedIds);
      this.hooks.reached('recorded');
      batch.forEach(({ settlement, resolve }) => resolve(changed.has(settlement.delivery.deliveryId)));
      if (recorded.hasReadyLane) {
        this.wakeUp.nudge();
      }
      await this.noteLate(settlements.filter(({ delivery }) => !changed.has(delivery.deliveryId)));
    } catch (error) {
      await this.writeOneByOne(batch, error);
    }
  }

  /** One that the database refuses must not take the others down with it. */
  private async writeOneByOne(batch: Waiting[], error: unknown): Promise<void> {
    if (isLockTimeout(error) && batch.length > 1) {
      batch.forEach((waiting) => void this.write([waiting]));
      return;
    }
    if (batch.length === 1 || isTransient(error)) {
      batch.forEach(({ reject }) => reject(error));
      return;
    }
    for (const waiting of batch) {
      await this.write([waiting]);
    }
  }

  /**
   * Nothing was changed, but the attempts did happen. A batch is written in the context of whichever delivery began it; a line
   * belongs to its own.
   */
  private async noteLate(late: readonly Settlement[]): Promise<void> {
    for (const { delivery } of late) {
      runWithTrace(delivery.traceId, () =>
        this.#logger.warn({
          msg: 'a settlement came too late: the delivery had moved on, or was not written and is routed again',
          deliveryId: delivery.deliveryId,
        }),
      );
    }
    // The batch itself is written: this must not make it be written again.
    await this.noteAttempts(late);
  }

  /** An attempt that was aborted did happen, although it leaves the delivery as it was. */
  async noteAborted({ aborted }: DeliveryReleasedError): Promise<void> {
    if (aborted) {
      await this.noteAttempts([aborted]);
    }
  }

  private async noteAttempts(settlements: readonly Settlement[]): Promise<void> {
    await appendMissingEntries(engineDatabase(this.em), settlements.flatMap(attemptEntryOf)).catch((error: unknown) =>
      this.#logger.error({ msg: 'attempts that changed nothing are not in the ledger', fault: faultOf(error) }),
    );
  }
}
