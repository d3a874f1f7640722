import { KERNEL_ACTOR, ledgerEntry, type LedgerEntry } from '@kernel/ledger';
import { dispatchTelemetry } from '../telemetry/dispatch-telemetry.js';
import type { KeyedEvent } from './keyed-event.js';
import type { PreparedEvent } from './prepare-event.js';

/** Ledger entry and log line of a repeat that published nothing: about the first event, under the repeat's trace. */
export function noteDuplicate(
  repeat: PreparedEvent,
  first: KeyedEvent,
  context: { now: Date; attributeNames: readonly string[] },
): { entry: LedgerEntry; logLine: Record<string, unknown> } {
  const { tenantId, eventId, type } = first;
  const entry = ledgerEntry({
    kind: 'duplicate-detected',
    actor: repeat.actorId ?? KERNEL_ACTOR,
    tenantId,
    eventId,
    eventType: type,
    traceId: repeat.traceId,
    aggregateType: repeat.aggregateType,
    aggregateId: repeat.aggregateId,
    attributesJson: repeat.attributesJson,
    detail: { idempotencyKey: first.key, firstTraceId: first.traceId, duplicateDetected: true },
  });
  const telemetry = dispatchTelemetry(
    { ...first, attributesJson: repeat.attributesJson },
    { isSuccess: true, attempt: 0, duplicateDetected: true, ...context },
  );
  return { entry, logLine: { msg: 'duplicate detected', eventId, tenantId, type, telemetry } };
}
