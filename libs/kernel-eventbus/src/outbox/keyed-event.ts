import { sha256Hex, toCanonicalJson } from '../envelope/canonical-json.js';
import type { EventDefinition } from '../envelope/define-event.js';
import { IdempotencyConflictError } from '../eventbus.errors.js';
import type { PreparedEvent } from './prepare-event.js';
import type { EnvelopeSource } from './to-envelope.js';

/** The event that holds a key. Stored with the key, so that a repeat is recognised and answered without the event. */
export interface KeyedEvent extends Omit<EnvelopeSource, 'payloadJson'> {
  key: string;
  payloadHash: string;
  attributesHash: string;
}

export interface KeyHolder extends KeyedEvent {
  /** Claimed longer ago than `windowDays`. */
  isExpired: boolean;
}

export function toKeyedEvent(event: PreparedEvent, definition?: EventDefinition): KeyedEvent {
  const { eventId, tenantId, streamKey, type, occurredAt, traceId, actorId, payloadHash } = event;
  const attributesHash = hashAttributes(event.attributesJson, definition?.identifyingAttributes);
  const key = event.idempotencyKey!;
  return { key, eventId, tenantId, streamKey, type, occurredAt, traceId, actorId, payloadHash, attributesHash };
}

/** @throws {IdempotencyConflictError} when the two events differ */
export function requireRepeat(event: KeyedEvent, first: KeyedEvent): void {
  const differing = (['type', 'streamKey', 'payloadHash', 'attributesHash'] as const)
    .filter((field) => event[field] !== first[field])
    .map((field) => field.replace('Hash', ''));
  if (differing.length > 0) {
    throw new IdempotencyConflictError(event.key, first.eventId, differing);
  }
}

function hashAttributes(attributesJson: string, names: readonly string[] | undefined): string {
  if (!names) {
    return sha256Hex(attributesJson);
  }
  const attributes = JSON.parse(attributesJson) as Record<string, unknown>;
  const counted = toCanonicalJson(Object.fromEntries(names.map((name) => [name, attributes[name] ?? null])));
  return sha256Hex(counted.isStorable ? counted.json : attributesJson);
}
