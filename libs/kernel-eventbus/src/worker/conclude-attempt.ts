import { KERNEL_ACTOR, type LedgerEntry } from '@kernel/ledger';
import type { HandoffFacts } from '../dispatch/dispatch-runner.js';
import type { DeferredInvocation, InvocationResult, InvokedEndpoint } from '../dispatch/invocation.js';
import { newId } from '@kernel/runtime';
import type { AttemptEntry, AttemptRecord, UnsentEntry } from '../deliveries/attempt-record.js';
import type { ClaimedDelivery } from '../deliveries/claimed-delivery.js';
import type { DeadLetterReason, Outcome } from '../judgement/judge-attempt.js';
import type { Redaction } from '../request/webhook-body.js';

export interface AttemptFacts {
  /** Null: no body was made. */
  bodySha256: string | null;
  redaction: Redaction;
  /** Null: the event was processed in this process. */
  handoff: HandoffFacts | null;
  latencyMs: number;
  responseExcerpt: string | null;
}

export function attemptFacts(
  { result, bodySha256, redaction }: InvokedEndpoint,
  handoff: AttemptFacts['handoff'],
): AttemptFacts {
  const responseExcerpt = result.kind === 'response' ? result.bodyExcerpt : null;
  return { bodySha256, redaction, handoff, latencyMs: result.latencyMs, responseExcerpt };
}

/** Record of an attempt that was judged. */
export function settleAttempt(delivery: ClaimedDelivery, outcome: Outcome, facts: AttemptFacts): AttemptRecord {
  const { bodySha256, redaction, handoff, latencyMs, responseExcerpt } = facts;
  const detailJson = handoff && JSON.stringify({ dispatcher: handoff.dispatcher, handoff: handoff.status });
  const attempt: AttemptEntry = {
    ...redaction,
    entryId: newId(),
    kind: 'attempt',
    latencyMs,
    responseExcerpt,
    bodySha256,
    detailJson,
  };
  const attempted = {
    ...unchanged(delivery),
    attempts: delivery.attempts + 1,
    statusCode: outcome.statusCode,
    attempt,
  };
  if (outcome.kind === 'delivered') {
    return { ...attempted, status: 'DELIVERED', nextDelayMs: null };
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

/**
 * A fault on our side: the delivery waits, no attempt is used up. The ledger notes the first deferral, not each
 * repetition.
 */
export function deferDelivery(delivery: ClaimedDelivery, fault: DeferredInvocation, delayMs: number): AttemptRecord {
  const { errorClass, error } = fault;
  const deferred = { ...unchanged(delivery), errorClass, error, nextDelayMs: delayMs };
  if (delivery.errorClass === errorClass) {
    return deferred;
  }
  const unsent = unsentEntry('deferred');
  return { ...deferred, errorRef: unsent.entryId, unsent };
}

/** Dead-lettered without an attempt. */
export function abandonDelivery(delivery: ClaimedDelivery, reason: DeadLetterReason): AttemptRecord {
  return { ...unchanged(delivery), ...deadLettered(reason), unsent: unsentEntry('dead-lettered') };
}

/** Record of an attempt that was aborted without an answer. Undefined: nothing was sent. */
export function abortedAttempt(
  delivery: ClaimedDelivery,
  invocation: InvocationResult,
  handoff: AttemptFacts['handoff'],
): AttemptRecord | undefined {
  if (invocation.kind === 'deferred' || invocation.bodySha256 === null) {
    return undefined;
  }
  const error = 'aborted: the endpoint was deleted or disabled, or the worker stopped';
  const outcome = { kind: 'retry', delayMs: 0, errorClass: 'aborted', error, statusCode: null } as const;
  return settleAttempt(delivery, outcome, { ...attemptFacts(invocation, handoff), responseExcerpt: null });
}

/** Ledger entry of an attempt whose record was refused: it has happened all the same, but concludes nothing. */
export function attemptEntryOf({
  delivery,
  attempts,
  statusCode,
  errorClass,
  error,
  attempt,
}: AttemptRecord): LedgerEntry[] {
  if (!attempt) {
    return [];
  }
  const { tenantId, eventId, type, deliveryId, endpointId, traceId, aggregateType, aggregateId, attributesJson } =
    delivery;
  const subject = { tenantId, eventId, eventType: type, deliveryId, endpointId, traceId, aggregateType, aggregateId };
  const result = { attempt: attempts, statusCode, errorClass, error };
  const { detailJson, ...facts } = attempt;
  const detail = detailJson ? (JSON.parse(detailJson) as Record<string, unknown>) : null;
  return [{ actor: KERNEL_ACTOR, ...subject, attributesJson, ...facts, detail, ...result }];
}

function unchanged(delivery: ClaimedDelivery): AttemptRecord {
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
    unsent: null,
  };
}

function deadLettered(deadLetterReason: DeadLetterReason) {
  return { status: 'DLQ' as const, nextDelayMs: null, deadLetterReason };
}

function unsentEntry(kind: UnsentEntry['kind']): UnsentEntry {
  return { entryId: newId(), kind };
}
