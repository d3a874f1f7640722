import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, Logger } from '@nestjs/common';
import { engineDatabase, faultOf, TransientRetry, isLockTimeout, isTransient } from '@kernel/runtime';
import { StageHooks } from '../runtime/stage-hooks.js';
import { runWithTrace } from '../trace/trace-context.js';
import { WakeUp } from '../runtime/wake-up.js';
import { WorkerIdentity } from '../runtime/worker-identity.js';
import { appendMissingEntries } from '@kernel/ledger';
import type { DeliveryReleasedError } from './delivery-released.error.js';
import { recordOutcomes } from '../deliveries/outcomes.sql.js';
import type { AttemptRecord } from '../deliveries/attempt-record.js';
import { attemptEntryOf } from './conclude-attempt.js';

interface Waiting {
  record: AttemptRecord;
  resolve: (isTaken: boolean) => void;
  reject: (error: unknown) => void;
}

const MAX_BATCH = 400;
/** A statement for this many costs little more than one for a few: under load, a batch waits for them. */
const GOOD_BATCH = 180;
const GATHER_MS = 10;

/**
 * Writes attempt records in batches. The first is written at once; those that arrive meanwhile form the next batch,
 * which waits a moment for more unless one of its records is awaited. While the database is away, records are kept.
 */
@Injectable()
export class AttemptRecorder {
  readonly #logger = new Logger(AttemptRecorder.name);
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
   * False if the delivery had moved on under another lease; then nothing was changed. `isAwaited`: the next delivery of
   * a lane waits for this.
   */
  record(record: AttemptRecord, { isAwaited = false } = {}): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ record, resolve, reject });
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
    const records = batch.map(({ record }) => record);
    try {
      const recorded = await this.retry.run('outcomes', () => recordOutcomes(this.em, records, this.worker.id), {
        // One locked row must not delay the other outcomes.
        isOver: (error) => batch.length > 1 && isLockTimeout(error),
      });
      const changed = new Set(recorded.changedIds);
      this.hooks.reached('recorded');
      batch.forEach(({ record, resolve }) => resolve(changed.has(record.delivery.deliveryId)));
      if (recorded.hasReadyLane) {
        this.wakeUp.nudge();
      }
      await this.noteLate(records.filter(({ delivery }) => !changed.has(delivery.deliveryId)));
    } catch (error) {
      await this.writeOneByOne(batch, error);
    }
  }

  /** A record that the database refuses must not fail the others. */
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
   * Nothing was changed, but the attempts have happened. The batch is written in the trace of the delivery that started
   * it, so each log line sets its own.
   */
  private async noteLate(late: readonly AttemptRecord[]): Promise<void> {
    for (const { delivery } of late) {
      runWithTrace(delivery.traceId, () =>
        this.#logger.warn({
          msg: 'a settlement came too late: the delivery had moved on, or was not written and is routed again',
          deliveryId: delivery.deliveryId,
        }),
      );
    }
    // The batch is written: a failure here must not write it again.
    await this.noteAttempts(late);
  }

  /** An aborted attempt has happened, although it leaves the delivery unchanged. */
  async noteAborted({ aborted }: DeliveryReleasedError): Promise<void> {
    if (aborted) {
      await this.noteAttempts([aborted]);
    }
  }

  private async noteAttempts(records: readonly AttemptRecord[]): Promise<void> {
    await appendMissingEntries(engineDatabase(this.em), records.flatMap(attemptEntryOf)).catch((error: unknown) =>
      this.#logger.error({ msg: 'attempts that changed nothing are not in the ledger', fault: faultOf(error) }),
    );
  }
}
