import { timeMsOf } from '../envelope/partition-range.js';

/** KFM-9: reported for every dispatch, whether an attempt or a publication detected as a duplicate. */
export interface DispatchTelemetry {
  outboxId: string;
  eventName: string;
  dispatchStatus: 'success' | 'failure';
  /** Attempts used so far. */
  attempt: number;
  /** Time from the event's creation to this success or failure. */
  latencyMs: number;
  /** True for a replay, and for a duplicate publication that stored nothing. */
  duplicateDetected: boolean;
}

export interface Dispatched {
  eventId: string;
  type: string;
  occurredAt: string;
  attributesJson: string;
}

export interface DispatchFacts {
  isSuccess: boolean;
  attempt: number;
  duplicateDetected: boolean;
  now: Date;
  /** Event attributes that are included under their own names, e.g. `pipelineId`. */
  attributeNames: readonly string[];
}

export function dispatchTelemetry(
  event: Dispatched,
  facts: DispatchFacts,
): DispatchTelemetry & Record<string, unknown> {
  return {
    ...pick(event.attributesJson, facts.attributeNames),
    outboxId: event.eventId,
    eventName: event.type,
    dispatchStatus: facts.isSuccess ? 'success' : 'failure',
    attempt: facts.attempt,
    latencyMs: Math.max(0, facts.now.getTime() - createdAtMs(event)),
    duplicateDetected: facts.duplicateDetected,
  };
}

const VERSION_7 = /^.{8}-.{4}-7/;

/** A UUIDv7 contains its creation time; for other ids, supplied by the host, the event's own time is used. */
function createdAtMs({ eventId, occurredAt }: Dispatched): number {
  return VERSION_7.test(eventId) ? timeMsOf(eventId) : new Date(occurredAt).getTime();
}

function pick(attributesJson: string, names: readonly string[]): Record<string, unknown> {
  if (names.length === 0) {
    return {};
  }
  const attributes = JSON.parse(attributesJson) as Record<string, unknown>;
  return Object.fromEntries(names.map((name) => [name, attributes[name] ?? null]));
}
