import { timeMsOf } from '../upkeep/partition-range.js';

/** KFM-9: what is told of every dispatch, be it an attempt or a publication that turned out to be a repeat. */
export interface DispatchTelemetry {
  outboxId: string;
  eventName: string;
  dispatchStatus: 'success' | 'failure';
  /** Attempts used. */
  attempt: number;
  /** From the creation of the event to this success or failure. */
  latencyMs: number;
  /** It came from a replay, or from a repeat that published nothing. */
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
  /** Attributes of the event that go along under their own names, e.g. `pipelineId`. */
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

/** A UUIDv7 tells when it was made; of another id, supplied by the host, only the event's own time is known. */
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
