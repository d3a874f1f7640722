import type { DeliveryStatus } from '../envelope/webhook-delivery.js';
import { KERNEL_ACTOR, ledgerEntry, type LedgerEntry, type LedgerKind } from '../audit/ledger-entry.js';
import type { ClaimedDelivery } from './claimed-delivery.js';
import type { DeadLetterReason, Failure, Outcome } from './judge-attempt.js';
import type { PreparationFault, PreparedWebhook } from './webhook-preparer.js';

/** The state a delivery goes into, fenced by the lease it was worked on under, with the facts that go into the ledger. */
export interface Settlement {
  deliveryId: string;
  traceId: string;
  leaseEpoch: number;
  status: DeliveryStatus;
  attempts: number;
  statusCode: number | null;
  /** Null: nothing is scheduled any more. */
  nextDelayMs: number | null;
  errorClass: string | null;
  error: string | null;
  errorRef: string | null;
  deadLetterReason: DeadLetterReason | null;
  entries: LedgerEntry[];
  /** Set on the last settlement of a lane's run: the lane is let go together with it. */
  laneRelease?: LaneRelease;
}

export interface LaneRelease {
  laneId: string;
  laneEpoch: number;
  wakeCount: number;
  /** `wait` for the head's next attempt, `block` on the dead letter at the head, `go-on` where more was left, else `rest`. */
  then: 'wait' | 'block' | 'go-on' | 'rest';
}

export interface AttemptFacts {
  webhook: PreparedWebhook;
  latencyMs: number;
  responseExcerpt: string | null;
}

/** After an attempt was judged. */
export function settleAttempt(delivery: ClaimedDelivery, outcome: Outcome, facts: AttemptFacts): Settlement {
  const attempts = delivery.attempts + 1;
  const failure = outcome.kind === 'delivered' ? null : outcome;
  const attempt = entryOf('attempt', delivery, {
    attempt: attempts,
    statusCode: outcome.statusCode,
    latencyMs: facts.latencyMs,
    errorClass: failure?.errorClass,
    error: failure?.error,
    responseExcerpt: facts.responseExcerpt,
    bodySha256: facts.webhook.bodySha256,
    ...facts.webhook.redaction,
  });
  const base = { ...unchanged(delivery), attempts, statusCode: outcome.statusCode };
  switch (outcome.kind) {
    case 'delivered':
      return {
        ...base,
        status: 'DELIVERED',
        nextDelayMs: null,
        entries: [attempt, entryOf('delivered', delivery, { attempt: attempts, statusCode: outcome.statusCode })],
      };
    case 'retry':
      return {
        ...base,
        ...errorOf(outcome, attempt),
        status: 'FAILED',
        nextDelayMs: outcome.delayMs,
        entries: [attempt],
      };
    case 'dead-letter':
      return {
        ...base,
        ...errorOf(outcome, attempt),
        status: 'DLQ',
        nextDelayMs: null,
        deadLetterReason: outcome.reason,
        entries: [attempt, deadLetterEntry(delivery, outcome.reason, { ...outcome, attempt: attempts })],
      };
  }
}

/** A fault of our own: the delivery waits, and no attempt is used up. The ledger hears of it when it begins, not each time. */
export function deferDelivery(delivery: ClaimedDelivery, fault: PreparationFault, delayMs: number): Settlement {
  const { errorClass, error } = fault;
  const deferred = { ...unchanged(delivery), errorClass, error, nextDelayMs: delayMs };
  if (delivery.errorClass === errorClass) {
    return deferred;
  }
  const entry = entryOf('deferred', delivery, { errorClass, error });
  return { ...deferred, errorRef: entry.entryId, entries: [entry] };
}

/** Given up without an attempt. */
export function abandonDelivery(delivery: ClaimedDelivery, reason: DeadLetterReason): Settlement {
  return {
    ...unchanged(delivery),
    status: 'DLQ',
    nextDelayMs: null,
    deadLetterReason: reason,
    entries: [deadLetterEntry(delivery, reason, {})],
  };
}

function deadLetterEntry(
  delivery: ClaimedDelivery,
  reason: DeadLetterReason,
  facts: Partial<Failure> & { attempt?: number },
): LedgerEntry {
  const { attempt, statusCode, errorClass, error } = facts;
  return entryOf('dead-lettered', delivery, { reason, attempt, statusCode, errorClass, error });
}

function unchanged(delivery: ClaimedDelivery): Settlement {
  return {
    deliveryId: delivery.deliveryId,
    traceId: delivery.traceId,
    leaseEpoch: delivery.leaseEpoch,
    status: delivery.attempts > 0 ? 'FAILED' : 'PENDING',
    attempts: delivery.attempts,
    statusCode: null,
    nextDelayMs: 0,
    errorClass: null,
    error: null,
    errorRef: null,
    deadLetterReason: null,
    entries: [],
  };
}

function errorOf(failure: Failure, entry: LedgerEntry) {
  return { errorClass: failure.errorClass, error: failure.error, errorRef: entry.entryId };
}

function entryOf(kind: LedgerKind, delivery: ClaimedDelivery, facts: Partial<LedgerEntry>): LedgerEntry {
  return ledgerEntry({
    kind,
    actor: KERNEL_ACTOR,
    tenantId: delivery.tenantId,
    eventId: delivery.eventId,
    eventType: delivery.type,
    deliveryId: delivery.deliveryId,
    endpointId: delivery.endpointId,
    traceId: delivery.traceId,
    aggregateType: delivery.aggregateType,
    aggregateId: delivery.aggregateId,
    attributesJson: delivery.attributesJson,
    ...facts,
  });
}
