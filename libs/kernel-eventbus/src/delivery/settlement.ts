import type { DeliveryStatus } from '../envelope/webhook-delivery.js';
import { KERNEL_ACTOR, type LedgerEntry } from '../audit/ledger-entry.js';
import { newId } from '../runtime/new-id.js';
import type { ClaimedDelivery } from './claimed-delivery.js';
import type { DeadLetterReason, Outcome } from './judge-attempt.js';
import type { CoordinatedHandoff } from '../dispatch/dispatch-coordinator.js';
import type { DeferredInvocation } from '../dispatch/endpoint-invoker.js';
import type { Redaction } from './webhook-body.js';

/** The state a delivery goes into, fenced by the lease it was worked on under, with the facts that go into the ledger. */
export interface Settlement {
  delivery: ClaimedDelivery;
  status: DeliveryStatus;
  attempts: number;
  statusCode: number | null;
  /** Null: nothing is scheduled any more. */
  nextDelayMs: number | null;
  errorClass: string | null;
  error: string | null;
  errorRef: string | null;
  deadLetterReason: DeadLetterReason | null;
  /** Null: nothing was sent. */
  attempt: AttemptEntry | null;
  /** What the ledger notes besides the attempt; null when there is nothing to note. */
  conclusion: ConclusionEntry | null;
  /** Set on the last settlement of a lane's run: the lane is let go together with it. */
  laneRelease?: LaneRelease;
}

/** What an attempt's ledger entry holds besides the settlement's own facts. */
export interface AttemptEntry {
  entryId: string;
  latencyMs: number;
  responseExcerpt: string | null;
  bodySha256: string | null;
  /** What the dispatcher said of the handoff, as JSON. */
  detailJson: string | null;
  policyId: string | null;
  policyVersion: number | null;
  removedPaths: number | null;
}

export interface ConclusionEntry {
  entryId: string;
  kind: 'delivered' | 'dead-lettered' | 'deferred';
}

export interface LaneRelease {
  laneId: string;
  laneEpoch: number;
  wakeCount: number;
  /** `wait` for the head's next attempt, `block` on the dead letter at the head, `go-on` where more was left, else `rest`. */
  then: 'wait' | 'block' | 'go-on' | 'rest';
}

export interface AttemptFacts {
  /** Null: no body was made. */
  bodySha256: string | null;
  redaction: Redaction;
  /** Null for a handler inside the application. */
  handoff: Pick<CoordinatedHandoff, 'dispatcher' | 'status'> | null;
  latencyMs: number;
  responseExcerpt: string | null;
}

/** After an attempt was judged. */
export function settleAttempt(delivery: ClaimedDelivery, outcome: Outcome, facts: AttemptFacts): Settlement {
  const { bodySha256, redaction, handoff, latencyMs, responseExcerpt } = facts;
  const detailJson = handoff && JSON.stringify({ dispatcher: handoff.dispatcher, handoff: handoff.status });
  const attempt = { ...redaction, entryId: newId(), latencyMs, responseExcerpt, bodySha256, detailJson };
  const attempted = {
    ...unchanged(delivery),
    attempts: delivery.attempts + 1,
    statusCode: outcome.statusCode,
    attempt,
  };
  if (outcome.kind === 'delivered') {
    return { ...attempted, status: 'DELIVERED', nextDelayMs: null, conclusion: conclude('delivered') };
  }
  const failed = {
    ...attempted,
    errorClass: outcome.errorClass,
    error: outcome.error,
    errorRef: attempt.entryId,
  };
  return outcome.kind === 'retry'
    ? { ...failed, status: 'FAILED', nextDelayMs: outcome.delayMs }
    : { ...failed, ...deadLettered(outcome.reason) };
}

/** A fault of our own: the delivery waits, and no attempt is used up. The ledger hears of it when it begins, not each time. */
export function deferDelivery(delivery: ClaimedDelivery, fault: DeferredInvocation, delayMs: number): Settlement {
  const { errorClass, error } = fault;
  const deferred = { ...unchanged(delivery), errorClass, error, nextDelayMs: delayMs };
  if (delivery.errorClass === errorClass) {
    return deferred;
  }
  const conclusion = conclude('deferred');
  return { ...deferred, errorRef: conclusion.entryId, conclusion };
}

/** Given up without an attempt. */
export function abandonDelivery(delivery: ClaimedDelivery, reason: DeadLetterReason): Settlement {
  return { ...unchanged(delivery), ...deadLettered(reason) };
}

/** The attempt of a settlement that came too late, as a ledger entry of its own: it did happen. */
export function attemptEntryOf({
  delivery,
  attempts,
  statusCode,
  errorClass,
  error,
  attempt,
}: Settlement): LedgerEntry[] {
  if (!attempt) {
    return [];
  }
  const { tenantId, eventId, type, deliveryId, endpointId, traceId, aggregateType, aggregateId, attributesJson } =
    delivery;
  const subject = { tenantId, eventId, eventType: type, deliveryId, endpointId, traceId, aggregateType, aggregateId };
  const result = { attempt: attempts, statusCode, errorClass, error };
  const { detailJson, ...facts } = attempt;
  const detail = detailJson ? (JSON.parse(detailJson) as Record<string, unknown>) : null;
  return [{ kind: 'attempt', actor: KERNEL_ACTOR, ...subject, attributesJson, ...facts, detail, ...result }];
}

function unchanged(delivery: ClaimedDelivery): Settlement {
  return {
    delivery,
    status: delivery.attempts > 0 ? 'FAILED' : 'PENDING',
    attempts: delivery.attempts,
    statusCode: null,
    nextDelayMs: 0,
    errorClass: null,
    error: null,
    errorRef: null,
    deadLetterReason: null,
    attempt: null,
    conclusion: null,
  };
}

function deadLettered(deadLetterReason: DeadLetterReason) {
  return { status: 'DLQ' as const, nextDelayMs: null, deadLetterReason, conclusion: conclude('dead-lettered') };
}

function conclude(kind: ConclusionEntry['kind']): ConclusionEntry {
  return { entryId: newId(), kind };
}
