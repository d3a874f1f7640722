import assert from 'node:assert/strict';
import type { Fact, HoldKey } from './journal.js';
import type { Hold, Model, ModelDelivery } from './model.js';

const isSettled = ({ status }: ModelDelivery) => status === 'DELIVERED' || status === 'DLQ';

/**
 * Applies a fact from a worker to the model and throws if it is not allowed. `mayTakeExpired` follows from the
 * heartbeats of the claiming worker.
 */
export function absorb(model: Model, fact: Fact, mayTakeExpired: boolean): void {
  const about = `${fact.kind} by ${fact.workerId}: delivery ${fact.deliveryId}, epoch ${fact.leaseEpoch}`;
  if (fact.kind === 'held') {
    absorbHeld(model, fact, mayTakeExpired, about);
    return;
  }
  const hold = model.findHold(fact);
  assert(hold, `nobody holds it: ${about}`);
  if (fact.kind === 'sent') {
    absorbSent(model, hold, fact.previousSequence, about);
  } else if (fact.kind === 'recorded') {
    model.count(fact.isTaken ? `recorded ${fact.status}` : `outcome refused: ${hold.lostBy}`);
    absorbRecorded(hold, fact, about);
  } else {
    hold.isOver = true;
    hold.isSent = false;
  }
}

function absorbHeld(model: Model, key: HoldKey, mayTakeExpired: boolean, about: string): void {
  const delivery = model.deliveries.get(key.deliveryId);
  assert(delivery, `no such delivery: ${about}`);
  assert(!isSettled(delivery), `a settled delivery is claimed: ${about}`);
  const before = model.holdOf(key.deliveryId);
  if (before && model.findHold(key) !== before) {
    const isExpired = before.leaseUntilMs < model.time.nowMs;
    assert(isExpired && mayTakeExpired, `two workers hold it, the other is ${before.workerId}: ${about}`);
    before.lostBy = 'expired';
    model.count('lease taken over');
  }
  if (!model.findHold(key)) {
    model.hold(key, delivery);
  }
}

function absorbSent(model: Model, hold: Hold, previousSequence: string | null, about: string): void {
  const { delivery } = hold;
  assert(hold.lostBy !== 'rescue', `sent after others took the worker for dead: ${about}`);
  assert(!hold.isOutdated, `sent although its worker knows of a change: ${about}`);
  assert(!hold.isOver, `sent after it was given up: ${about}`);
  assert.equal(Number(previousSequence), Number(delivery.previousSequence), `wrong previous sequence: ${about}`);
  hold.isSent = true;
  model.sentBy.set(hold.workerId, (model.sentBy.get(hold.workerId) ?? new Set()).add(delivery.deliveryId));
  model.count(delivery.laneId === null ? 'sent' : 'sent in a lane');
  if (delivery.laneId === null || hold.lostBy) {
    return;
  }
  const lane = model.laneOf(delivery);
  const inFlight = lane.filter(({ deliveryId }) => model.holdOf(deliveryId)?.isSent);
  assert.equal(inFlight.length, 1, `several of one lane are in flight: ${about}`);
  // A replayed delivery may be sent after later ones of its lane.
  const overtaken = lane.filter(
    (other) => other.event.sequence! < delivery.event.sequence! && other.replays === 0 && !isSettled(other),
  );
  assert.equal(overtaken.length, 0, `overtakes ${overtaken.map(({ deliveryId }) => deliveryId).join()}: ${about}`);
}

function absorbRecorded(hold: Hold, fact: Extract<Fact, { kind: 'recorded' }>, about: string): void {
  assert(!hold.isOver, `recorded twice: ${about}`);
  assert.equal(
    fact.isTaken,
    !hold.lostBy,
    hold.lostBy ? `a lost lease recorded: ${about}` : `an answer is lost: ${about}`,
  );
  hold.isSent = false;
  if (!fact.isTaken) {
    return;
  }
  hold.isOver = true;
  const { delivery } = hold;
  delivery.status = fact.status;
  delivery.attempts = fact.attempts;
  delivery.isSuspect = false;
  delivery.timesDelivered += Number(fact.status === 'DELIVERED');
}
