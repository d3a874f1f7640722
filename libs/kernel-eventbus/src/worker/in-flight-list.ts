import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, Logger } from '@nestjs/common';
import { faultOf } from '@kernel/runtime';
import { WorkerIdentity } from '../runtime/worker-identity.js';
import { announceInFlight } from './liveness/workers.sql.js';
import { SendGate } from './send-gate.js';

/** Deliveries announced ahead that did not begin within this time are withdrawn. */
const TIDY_AFTER_MS = 50;
/** Maximum wait of an attempt for its announcement: held deliveries are sent even if the database is away. */
const PATIENCE_MS = 250;

/**
 * Tells the database which deliveries this worker begins to send, before it sends them. After a crash these are
 * suspects; deliveries that were only fetched ahead are not. The next in line are announced with them, so that one
 * statement serves many short requests. One statement is in progress at a time: none overtakes another.
 */
@Injectable()
export class InFlightList {
  readonly #logger = new Logger(InFlightList.name);
  readonly #begun = new Set<string>();
  /** Deliveries of the last statement. */
  #announced = new Set<string>();
  /** Deliveries of `#announced` that have not begun. */
  #ahead = new Set<string>();
  #waiting: (() => void)[] = [];
  #isDue = false;
  #isStopped = false;
  #underWay: Promise<void> | undefined;
  #isFailing = false;
  #patience: NodeJS.Timeout | undefined;
  #tidying: NodeJS.Timeout | undefined;

  constructor(
    private readonly em: EntityManager,
    private readonly worker: WorkerIdentity,
    private readonly gate: SendGate,
  ) {}

  /** Waits for the delivery's announcement; undefined: it is announced. It stays on the list until `end`. */
  begin(deliveryId: string): Promise<void> | undefined {
    if (this.#begun.has(deliveryId)) {
      return undefined;
    }
    this.#begun.add(deliveryId);
    if (this.#announced.has(deliveryId)) {
      this.#ahead.delete(deliveryId);
      return undefined;
    }
    this.announceSoon();
    this.#patience ??= setTimeout(() => this.letGo(), PATIENCE_MS);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** The outcome is recorded, or the delivery was released. */
  end(deliveryId: string): void {
    this.#begun.delete(deliveryId);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#tidying);
    await this.#underWay;
  }

  /** One statement for all that begin in this turn of the event loop. */
  private announceSoon(): void {
    if (!this.#isDue) {
      this.#isDue = true;
      setImmediate(() => void (this.#underWay ??= this.announceWhileDue()));
    }
  }

  private async announceWhileDue(): Promise<void> {
    clearTimeout(this.#tidying);
    while (this.#isDue) {
      await this.announce();
    }
    this.#underWay = undefined;
    if (this.#ahead.size > 0 && !this.#isStopped) {
      this.#tidying = setTimeout(() => this.announceSoon(), TIDY_AFTER_MS).unref();
    }
  }

  private async announce(): Promise<void> {
    try {
      await announceInFlight(
        this.em,
        this.worker.id,
        () => this.takeIds(),
        () => this.letGo(),
      );
      this.#isFailing = false;
    } catch (error) {
      this.#isDue = false;
      this.#announced.clear();
      this.#ahead.clear();
      this.letGo();
      if (!this.#isFailing) {
        this.#isFailing = true;
        this.#logger.warn({ msg: 'requests are sent without being announced', fault: faultOf(error) });
      }
    }
  }

  private takeIds(): string[] {
    this.#isDue = false;
    const ahead = this.gate.nextInLine().filter((deliveryId) => !this.#begun.has(deliveryId));
    this.#ahead = new Set(ahead);
    this.#announced = new Set([...this.#begun, ...ahead]);
    return [...this.#announced];
  }

  private letGo(): void {
    clearTimeout(this.#patience);
    this.#patience = undefined;
    this.#waiting.splice(0).forEach((go) => go());
  }
}
