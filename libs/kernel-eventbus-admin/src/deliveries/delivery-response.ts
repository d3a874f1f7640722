import type { LedgerRow } from '@kernel/ledger';
import type { WebhookDeliveryRow } from '@kernel/eventbus/engine';
import type { Delivery, LoggedAttempt } from './delivery.dto.js';

export function toDeliveryResponse(row: WebhookDeliveryRow, parkedLanes: ReadonlySet<string>): Delivery {
  return {
    deliveryId: row.deliveryId,
    tenantId: row.tenantId,
    endpointId: row.endpointId,
    eventId: row.eventId,
    eventType: row.eventType,
    status: row.status,
    attempts: row.attempts,
    lastStatusCode: row.lastStatusCode ?? undefined,
    traceId: row.traceId,
    nextAttemptAt: row.nextAttemptAt?.toISOString(),
    errorClass: row.errorClass ?? null,
    lastError: row.lastError ?? null,
    lastErrorRef: row.lastErrorRef ?? null,
    lastErrorAt: row.lastErrorAt?.toISOString() ?? null,
    deadLetterReason: row.deadLetterReason ?? null,
    isParked: waitsParked(row, parkedLanes),
    dispatchedAt: row.dispatchedAt.toISOString(),
    createdAt: row.createdAt.toISOString(),
    settledAt: row.settledAt?.toISOString() ?? null,
  };
}

/** A delivery in a lane is parked if its lane is. */
function waitsParked({ status, laneId, isParked }: WebhookDeliveryRow, parkedLanes: ReadonlySet<string>): boolean {
  return typeof laneId === 'string'
    ? (status === 'PENDING' || status === 'FAILED') && parkedLanes.has(laneId)
    : isParked;
}

export function toLoggedAttempt(entry: LedgerRow): LoggedAttempt {
  return {
    attempt: entry.attempt ?? 0,
    at: entry.recordedAt.toISOString(),
    statusCode: entry.statusCode ?? null,
    latencyMs: entry.latencyMs ?? null,
    errorClass: entry.errorClass ?? null,
    responseExcerpt: entry.responseExcerpt ?? null,
    policyVersion: entry.policyVersion ?? null,
    bodySha256: entry.bodySha256 ?? null,
  };
}
