import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, Logger } from '@nestjs/common';
import { StageHooks } from '../runtime/stage-hooks.js';
import { runWithTrace } from '../runtime/trace-context.js';
import { WorkerIdentity } from '../runtime/worker-identity.js';
import { recordSettlements } from './record-settlements.sql.js';
import type { Settlement } from './settlement.js';

interface Waiting {
  settlement: Settlement;
  resolve: (isSettled: boolean) => void;
  reject: (error: unknown) => void;
}

const MAX_BATCH = 200;

/** Writes settlements in batches: what comes in while one batch is being written goes into the next. */
@Injectable()
export class SettlementRecorder {
  readonly #logger = new Logger(SettlementRecorder.name);
  readonly #waiting: Waiting[] = [];
  #isWriting = false;

  constructor(
    private readonly em: EntityManager,
    private readonly worker: WorkerIdentity,
    private readonly hooks: StageHooks,
  ) {}

  /** False when the delivery had moved on under another lease, so that nothing was changed. */
  record(settlement: Settlement): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ settlement, resolve, reject });
      if (!this.#isWriting) {
        this.#isWriting = true;
        setImmediate(() => void this.writeAll());
      }
    });
  }

  private async writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      await this.write(this.#waiting.splice(0, MAX_BATCH));
    }
    this.#isWriting = false;
  }

  private async write(batch: Waiting[]): Promise<void> {
    const settlements = batch.map(({ settlement }) => settlement);
    try {
      const changed = new Set(await recordSettlements(this.em.fork().getKysely(), settlements, this.worker.id));
      this.hooks.reached('recorded');
      settlements.filter(({ deliveryId }) => !changed.has(deliveryId)).forEach((settlement) => this.warn(settlement));
      batch.forEach(({ settlement, resolve }) => resolve(changed.has(settlement.deliveryId)));
    } catch (error) {
      await this.writeOneByOne(batch, error);
    }
  }

  /** One that the database refuses must not take the others down with it. */
  private async writeOneByOne(batch: Waiting[], error: unknown): Promise<void> {
    if (batch.length === 1) {
      batch[0]!.reject(error);
      return;
    }
    for (const waiting of batch) {
      await this.write([waiting]);
    }
  }

  /** A batch is written in the context of whichever delivery began it; a line belongs to its own. */
  private warn({ deliveryId, traceId }: Settlement): void {
    runWithTrace(traceId, () =>
      this.#logger.warn({ msg: 'a settlement came too late: the delivery had moved on', deliveryId }),
    );
  }
}
