import assert from 'node:assert/strict';
import type { Model, ModelEvent } from './model.js';
import type { Snapshot, StoredDelivery } from './snapshot.js';

/** Adds newly routed deliveries to the model: each event goes to its current subscribers, in order in each lane. */
export function absorbRouted(model: Model, { events, deliveries }: Snapshot): void {
  assert.deepEqual(events.map(({ eventId }) => eventId).sort(), [...model.events.keys()].sort(), 'committed events');
  const routed = events
    .map((stored) => ({ stored, event: model.events.get(stored.eventId)! }))
    .filter(({ stored, event }) => {
      assert.equal(
        stored.streamSequence,
        event.sequence === null ? null : String(event.sequence),
        'number in its stream',
      );
      return stored.status === 'PUBLISHED' && !event.isRouted;
    })
    .sort((one, other) => Number(one.event.sequence) - Number(other.event.sequence));
  for (const { event } of routed) {
    event.isRouted = true;
    absorbFanOut(
      model,
      event,
      deliveries.filter(({ eventId }) => eventId === event.eventId),
    );
  }
}

function absorbFanOut(model: Model, event: ModelEvent, stored: readonly StoredDelivery[]): void {
  const subscribers = model.subscribersOf(event);
  assert.deepEqual(
    stored.map(({ endpointId }) => endpointId).sort(),
    subscribers.map(({ endpointId }) => endpointId).sort(),
    'endpoints of a routed event',
  );
  for (const { deliveryId, endpointId, laneId, previousSequence, leasedBy, leaseEpoch } of stored) {
    const endpoint = subscribers.find((subscriber) => subscriber.endpointId === endpointId)!;
    assert.equal(laneId !== null, endpoint.isOrdered, 'a lane for an ordered endpoint');
    const before = model.laneOf({ event, endpoint }).at(-1);
    const expected = endpoint.isOrdered ? (before?.event.sequence ?? null) : null;
    assert.equal(Number(previousSequence), Number(expected), 'the one routed before in the lane');
    const delivery = {
      ...{ deliveryId, event, endpoint, laneId, previousSequence: expected, status: 'PENDING' as const },
      ...{ attempts: 0, replays: 0, timesDelivered: 0, isSuspect: false },
    };
    model.deliveries.set(deliveryId, delivery);
    if (leasedBy !== null) {
      model.hold({ workerId: leasedBy, deliveryId, leaseEpoch: 1 }, delivery);
      assert(leaseEpoch >= 1, 'the epoch of a lease');
    }
  }
}

/** Compares database and model: no delivery is lost, duplicated, finished twice or held by another worker. */
export function checkStored(model: Model, { deliveries }: Snapshot): void {
  const stored = deliveries.map(({ deliveryId, status, attempts, leasedBy }) => ({
    ...{ deliveryId, status, attempts, leasedBy },
  }));
  const expected = [...model.deliveries.values()].map(({ deliveryId, status, attempts }) => ({
    ...{ deliveryId, status, attempts, leasedBy: model.holdOf(deliveryId)?.workerId ?? null },
  }));
  const byId = (one: { deliveryId: string }, other: { deliveryId: string }) =>
    one.deliveryId < other.deliveryId ? -1 : 1;
  assert.deepEqual(stored.sort(byId), expected.sort(byId), 'deliveries');
}

/** Only deliveries that their worker had begun to send may be suspects. */
export function absorbSuspects(model: Model, { deliveries }: Snapshot, mayBeSuspect: ReadonlySet<string>): void {
  for (const { deliveryId, isSuspect } of deliveries) {
    const delivery = model.deliveries.get(deliveryId)!;
    const isAllowed = delivery.isSuspect || mayBeSuspect.has(deliveryId);
    assert(!isSuspect || isAllowed, `${deliveryId} is suspect, but was not sent`);
    if (isSuspect && !delivery.isSuspect) {
      model.count('suspect');
    }
    delivery.isSuspect = isSuspect;
  }
}
