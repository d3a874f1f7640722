import type { PreparedEvent } from './prepare-event.js';

/** A jsonb array holds 256 MB, and a payload of small numbers takes six times its text. */
export const MAX_SLICE_CHARACTERS = 32 * 1024 * 1024;
/** Of a row besides payload and attributes. */
const ROW_CHARACTERS = 1_024;

/**
 * Splits the events of a large transaction into as few slices as statements can take. Several slices are in the order
 * of their streams: each statement locks its streams, and two transactions must not lock them in different orders.
 */
export function slicesOf(events: readonly PreparedEvent[], maxCharacters: number): (readonly PreparedEvent[])[] {
  return sumOf(events) <= maxCharacters ? [events] : cut(inOrderOfStreams(events), maxCharacters);
}

function cut(events: readonly PreparedEvent[], maxCharacters: number): PreparedEvent[][] {
  const slices: PreparedEvent[][] = [];
  let characters = Infinity;
  for (const event of events) {
    characters += charactersOf(event);
    if (characters > maxCharacters) {
      slices.push([]);
      characters = charactersOf(event);
    }
    slices.at(-1)!.push(event);
  }
  return slices;
}

function sumOf(events: readonly PreparedEvent[]): number {
  return events.reduce((sum, event) => sum + charactersOf(event), 0);
}

function charactersOf({ payloadJson, attributesJson }: PreparedEvent): number {
  return ROW_CHARACTERS + payloadJson.length + attributesJson.length;
}

/** By bytes, like the statement. The order within a stream stays. */
function inOrderOfStreams(events: readonly PreparedEvent[]): PreparedEvent[] {
  return events
    .map((event) => ({ event, stream: Buffer.from(`${event.tenantId} ${event.streamKey}`) }))
    .sort((one, other) => Buffer.compare(one.stream, other.stream))
    .map(({ event }) => event);
}

/**
 * The events as one JSON array, the parameter of the statement that writes them. Payload and attributes are JSON
 * already and inserted as they are. `behind`: number of later events of the same stream in this transaction; null
 * without a sequence number.
 */
export function toEventRows(events: readonly PreparedEvent[]): string {
  const behind = countBehind(events);
  return `[${events.map((event, position) => toRow(event, position, behind[position]!)).join()}]`;
}

function toRow(event: PreparedEvent, position: number, behind: number | null): string {
  const columns = JSON.stringify({
    position,
    behind,
    event_id: event.eventId,
    tenant_id: event.tenantId,
    stream_key: event.streamKey,
    type: event.type,
    occurred_at: event.occurredAt,
    trace_id: event.traceId,
    actor_id: event.actorId,
    payload_hash: event.payloadHash,
    aggregate_type: event.aggregateType,
    aggregate_id: event.aggregateId,
    trace_parent: event.traceParent,
    ...(event.traceState !== null && { trace_state: event.traceState }),
  });
  return `${columns.slice(0, -1)},"payload":${event.payloadJson},"attributes":${event.attributesJson}}`;
}

function countBehind(events: readonly PreparedEvent[]): (number | null)[] {
  const counts = new Map<string, number>();
  return events
    .toReversed()
    .map(({ tenantId, streamKey, isSequenced }) => {
      if (!isSequenced) {
        return null;
      }
      const stream = `${tenantId} ${streamKey}`;
      const behind = counts.get(stream) ?? 0;
      counts.set(stream, behind + 1);
      return behind;
    })
    .reverse();
}
