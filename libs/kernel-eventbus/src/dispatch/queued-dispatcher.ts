import { TenantPlaces } from '@kernel/outgoing-http';
import { reserveOf } from './reserve-of.js';
import type { Handoff, HandoffResult, WebhookDispatcher } from './webhook-dispatcher.js';

export interface QueueOptions {
  name: string;
  /**
   * Maximum of waiting deliveries; one more overflows. A quarter more is reserved for tenants without a waiting one.
   */
  capacity: number;
  /** Maximum of parallel invocations. A quarter more is reserved for tenants without one. */
  parallelism: number;
  /** On overflow, `fail`: the attempt fails at once; `wait`: it waits for a place. Default: `fail`. */
  overflow?: 'fail' | 'wait';
  /** The transport; default: HTTP. */
  invoke?: (handoff: Handoff) => Promise<void>;
}

/**
 * FR-012, FR-015, FR-016: queues deliveries and invokes a limited number at a time, tenants in turn. The durable queue
 * is PostgreSQL: each delivery stays PENDING and leased until its outcome is recorded, so that a crash loses nothing.
 */
export class QueuedDispatcher implements WebhookDispatcher {
  readonly name: string;
  readonly #options: QueueOptions;
  readonly #queue: TenantPlaces;
  readonly #places: TenantPlaces;

  constructor(options: QueueOptions) {
    for (const key of ['capacity', 'parallelism'] as const) {
      if (!Number.isInteger(options[key]) || options[key] < 1) {
        throw new Error(`The dispatcher ${options.name} needs a ${key} of at least 1: ${options[key]} was given.`);
      }
    }
    this.name = options.name;
    this.#options = options;
    this.#queue = placesFor(options.capacity);
    this.#places = placesFor(options.parallelism);
  }

  async dispatch(handoff: Handoff): Promise<HandoffResult> {
    const { tenantId } = handoff.delivery;
    if (this.#places.tryTake(tenantId)) {
      void this.#invoke(handoff);
      return { status: 'enqueued' };
    }
    if (!this.#queue.tryTake(tenantId)) {
      if (this.#options.overflow !== 'wait') {
        return { status: 'rejected', reason: `its queue is full (${this.#options.capacity})` };
      }
      const isTaken = await hasTaken(this.#queue, handoff);
      if (!isTaken) {
        return { status: 'rejected', reason: 'the attempt was given up while it waited for a place in the queue' };
      }
    }
    void this.#invokeInTurn(handoff);
    return { status: 'enqueued' };
  }

  async #invokeInTurn(handoff: Handoff): Promise<void> {
    const isTurn = await hasTaken(this.#places, handoff);
    this.#queue.release(handoff.delivery.tenantId);
    if (isTurn) {
      await this.#invoke(handoff);
    }
  }

  async #invoke(handoff: Handoff): Promise<void> {
    try {
      await this.#attempt(handoff);
    } finally {
      this.#places.release(handoff.delivery.tenantId);
    }
  }

  /** A transport that fails before it invokes fails the attempt; after that, the attempt already has an outcome. */
  async #attempt(handoff: Handoff): Promise<void> {
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

function placesFor(total: number): TenantPlaces {
  return new TenantPlaces({ total, perTenant: total, reserve: reserveOf(total) });
}

/** False: the attempt was aborted before there was a place. */
function hasTaken(places: TenantPlaces, { delivery, signal }: Handoff): Promise<boolean> {
  return places.take(delivery.tenantId, signal).then(
    () => true,
    () => false,
  );
}
