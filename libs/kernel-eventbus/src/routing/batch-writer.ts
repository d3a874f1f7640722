import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { ClaimedDelivery } from '../deliveries/claimed-delivery.js';
import { insertRouted, type InsertedDelivery } from '../deliveries/new-deliveries.sql.js';
import { Capabilities } from '../dispatch/capabilities.js';
import { EventBusConfig } from '../eventbus.config.js';
import { newId, type OpenTransaction } from '@kernel/runtime';
import { WorkerIdentity } from '../runtime/worker-identity.js';
import type { ClaimedEvent } from './pending-events.sql.js';
import type { PlannedDelivery } from './plan-deliveries.js';
import type { Sending } from './routed-batch.js';
import { slicesOf } from './take-batch.js';
import { toClaimedDelivery } from './to-claimed-delivery.js';
import { writeRouted } from './routed-events.sql.js';

/**
 * Maximum deliveries of a batch that leaves for the server in one piece, so that it can be sent while it is written.
 */
const MAX_PROMPT_DELIVERIES = 64;

/** Writes a routed batch and begins to send the deliveries that were leased with it. */
@Injectable()
export class BatchWriter {
  /** The last batch was not written, but may have been sent: the next is written before it is sent. */
  #mustWriteFirst = false;

  constructor(
    private readonly config: EventBusConfig,
    private readonly worker: WorkerIdentity,
    private readonly capabilities: Capabilities,
  ) {}

  /** Commits the transaction. Returns the leased deliveries. */
  async write(
    events: readonly ClaimedEvent[],
    deliveries: readonly PlannedDelivery[],
    counts: ReadonlyMap<string, number>,
    transaction: OpenTransaction,
    { begin, release }: Sending,
  ): Promise<ClaimedDelivery[]> {
    const marked = events.map(({ eventId }) => ({
      eventId,
      entryId: newId(),
      deliveryCount: counts.get(eventId) ?? 0,
    }));
    const lease = { workerId: this.worker.id, leaseMs: this.config.leaseMs };
    const slices = slicesOf(deliveries);
    const last = slices.pop() ?? [];
    const insertedBefore: InsertedDelivery[] = [];
    for (const slice of slices) {
      insertedBefore.push(...(await transaction.query<InsertedDelivery>(insertRouted(slice, lease))));
    }
    // Leaves before anything is sent: if a delivery kills this process, the server knows which worker had it.
    const inserting = transaction.commitWith<InsertedDelivery>(
      writeRouted({ events: marked, deliveries: last }, lease),
    );
    const written = inserting.then(() => undefined);
    const leased = deliveries.filter(({ isLeasedOnInsert }) => isLeasedOnInsert);
    const isPrompt = !this.#mustWriteFirst && deliveries.length <= MAX_PROMPT_DELIVERIES;
    // Receivers and handlers recognise an event by its id. A host's dispatcher may take a repeated delivery for another
    // event's, like a broker that drops repeats.
    const { early = [], late = [] } = Object.groupBy(leased, ({ match: { endpoint } }) =>
      isPrompt && this.capabilities.isBuiltIn(endpoint.dispatcher) ? 'early' : 'late',
    );
    try {
      // A connection that is known to be lost rejects within this turn.
      await Promise.race([written, nextTurn()]);
      begin?.(early.map(toClaimed), written);
      const insertedIds = new Set([...insertedBefore, ...(await inserting)].map(({ deliveryId }) => deliveryId));
      this.#mustWriteFirst = false;
      const inserted = late.filter(({ deliveryId }) => insertedIds.has(deliveryId));
      begin?.(inserted.map(toClaimed), written);
      return [...early, ...inserted].map(toClaimed);
    } catch (error) {
      this.#mustWriteFirst = true;
      release?.(late.map(({ deliveryId }) => deliveryId));
      throw error;
    }
  }
}

function toClaimed({ deliveryId, match }: PlannedDelivery): ClaimedDelivery {
  return toClaimedDelivery(deliveryId, match);
}
