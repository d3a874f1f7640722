import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, Logger } from '@nestjs/common';
import { faultOf } from '../runtime/fault.js';
import { WorkerIdentity } from '../runtime/worker-identity.js';
import { announceInFlight } from './announce-in-flight.sql.js';
import { SendGate } from './send-gate.js';

/** Names announced ahead that did not begin within this time are taken back. */
const TIDY_AFTER_MS = 50;
/** An attempt waits no longer for its announcement: what is held is sent although the database is away. */
const PATIENCE_MS = 250;

/**
 * Tells the database which deliveries this worker has begun to send, before it sends them. After a crash these are suspect; what was only
 * fetched ahead is not. The deliveries that are next in line are named with them, so that one statement serves many short requests. One
 * statement is under way at a time: none overtakes another.
 */
@Injectable()
export class InFlightList {
  readonly #logger = new Logger(InFlightList.name);
  readonly #begun = new Set<string>();
  /** As the last statement said it. */
  #announced = new Set<string>();
  /** Those of `#announced` that have not begun. */
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

  /** Sends the delivery once the database has been told of it. It stays on the list until `end`. */
  async begin<T>(deliveryId: string, send: () => Promise<T>): Promise<T> {
    await this.announced(deliveryId);
    return send();
  }

  /** Its outcome is recorded, or it was released. */
  end(deliveryId: string): void {
    this.#begun.delete(deliveryId);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#tidying);
    await this.#underWay;
  }

  private announced(deliveryId: string): Promise<void> | undefined {
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

  /** Together with whatever else begins in this turn of the event loop. */
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
