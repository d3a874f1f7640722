import type { Handoff, HandoffResult, WebhookDispatcher } from './webhook-dispatcher.js';

export interface QueueOptions {
  name: string;
  /** Deliveries that wait; one more overflows. */
  capacity: number;
  /** Deliveries invoked at a time. */
  parallelism: number;
  /** What becomes of one that overflows. `fail`: the attempt fails at once; `wait`: it waits for a place. Default: `fail`. */
  overflow?: 'fail' | 'wait';
  /** The transport; default: HTTP. */
  invoke?: (handoff: Handoff) => Promise<void>;
}

/**
 * FR-012, FR-015, FR-016: takes deliveries into a queue and invokes so many of them at a time. The queue that counts is
 * PostgreSQL: each delivery stays PENDING and leased until its outcome is recorded, so that a process that dies loses nothing.
 */
export class QueuedDispatcher implements WebhookDispatcher {
  readonly name: string;
  readonly #options: QueueOptions;
  readonly #queue: Handoff[] = [];
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(options: QueueOptions) {
    for (const key of ['capacity', 'parallelism'] as const) {
      if (!Number.isInteger(options[key]) || options[key] < 1) {
        throw new Error(`The dispatcher ${options.name} needs a ${key} of at least 1: ${options[key]} was given.`);
      }
    }
    this.name = options.name;
    this.#options = options;
  }

  async dispatch(handoff: Handoff): Promise<HandoffResult> {
    while (this.#queue.length >= this.#options.capacity) {
      if (this.#options.overflow !== 'wait') {
        return { status: 'rejected', reason: `its queue is full (${this.#options.capacity})` };
      }
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    this.#queue.push(handoff);
    this.#run();
    return { status: 'enqueued' };
  }

  #run(): void {
    while (this.#running < this.#options.parallelism && this.#queue.length > 0) {
      const handoff = this.#queue.shift()!;
      this.#waiting.shift()?.();
      this.#running++;
      void this.#invoke(handoff).finally(() => {
        this.#running--;
        this.#run();
      });
    }
  }

  /** A transport that fails before it invokes has failed this attempt; after that, the attempt has an outcome already. */
  async #invoke(handoff: Handoff): Promise<void> {
    try {
      await (this.#options.invoke ? this.#options.invoke(handoff) : handoff.invoke());
    } catch (error) {
      const fail = async () => {
        throw error;
      };
      await handoff.invoke(fail).catch(() => undefined);
    }
  }
}
