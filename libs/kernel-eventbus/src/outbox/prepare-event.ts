import { newId } from '../runtime/new-id.js';
import { sha256Hex, toCanonicalJson } from '../envelope/canonical-json.js';
import type { EventRegistry } from '../envelope/event-registry.js';
import { InvalidEventError, PayloadTooLargeError, TraceIdRequiredError } from '../eventbus.errors.js';
import { checkPrivacy } from './check-privacy.js';
import { PublishableEvent } from './publishable-event.js';

/** An event as it will be written: serialised at the moment of `publish`, so that later changes to the object are not in it. */
export interface PreparedEvent {
  eventId: string;
  tenantId: string;
  streamKey: string;
  type: string;
  occurredAt: string;
  traceId: string;
  actorId: string | null;
  payloadJson: string;
  payloadHash: string;
  aggregateType: string | null;
  aggregateId: string | null;
  attributesJson: string;
  /** Of the span that published it; null: nobody traces. */
  traceParent: string | null;
  /** Whether it takes a number in its stream. */
  isSequenced: boolean;
  /** An id of the publisher's may have been used before; one of ours is new. */
  isIdSupplied: boolean;
}

export interface PrepareContext {
  registry: EventRegistry;
  traceId: string | undefined;
  traceParent: string | null;
  now: Date;
  maxPayloadBytes: number;
}

export function prepareEvent(input: PublishableEvent, context: PrepareContext): PreparedEvent {
  const event = parseEvent(input);
  const traceId = event.traceId ?? context.traceId;
  if (!traceId) {
    throw new TraceIdRequiredError(event.type);
  }
  const payloadJson = serialise('payload', event.payload ?? {});
  checkPayload(event.type, payloadJson, context);
  const attributesJson = serialiseAttributes(event.attributes ?? {});
  const classifier = context.registry.classifierOf(event.type);
  if (classifier) {
    checkPrivacy({ type: event.type, payloadJson, attributesJson }, classifier);
  }
  return {
    eventId: event.eventId?.toLowerCase() ?? newId(),
    tenantId: event.tenantId.toLowerCase(),
    streamKey: event.streamKey,
    type: event.type,
    occurredAt: new Date(event.occurredAt ?? context.now).toISOString(),
    traceId,
    actorId: event.actorId?.toLowerCase() ?? null,
    payloadJson,
    payloadHash: sha256Hex(payloadJson),
    aggregateType: event.aggregateType ?? null,
    aggregateId: event.aggregateId ?? null,
    attributesJson,
    traceParent: context.traceParent,
    isSequenced: context.registry.find(event.type)?.ordering !== 'none',
    isIdSupplied: event.eventId !== undefined,
  };
}

function parseEvent(input: PublishableEvent) {
  const parsed = PublishableEvent.safeParse(input);
  if (!parsed.success) {
    throw new InvalidEventError(
      parsed.error.issues.map((issue) => ({ path: issue.path.join('.') || 'event', message: issue.message })),
    );
  }
  return parsed.data;
}

function serialise(path: string, value: unknown): string {
  const canonical = toCanonicalJson(value);
  if (!canonical.isStorable) {
    throw new InvalidEventError([{ path, message: canonical.problem }]);
  }
  return canonical.json;
}

/** They are copied into every ledger entry of the event, so they are kept small. */
const MAX_ATTRIBUTES_BYTES = 8_192;

function serialiseAttributes(attributes: Record<string, unknown>): string {
  const json = serialise('attributes', attributes);
  const bytes = Buffer.byteLength(json);
  if (bytes > MAX_ATTRIBUTES_BYTES) {
    const message = `have ${bytes} bytes; at most ${MAX_ATTRIBUTES_BYTES} are allowed`;
    throw new InvalidEventError([{ path: 'attributes', message }]);
  }
  return json;
}

function checkPayload(type: string, payloadJson: string, { registry, maxPayloadBytes }: PrepareContext): void {
  const bytes = Buffer.byteLength(payloadJson);
  if (bytes > maxPayloadBytes) {
    throw new PayloadTooLargeError(type, bytes, maxPayloadBytes);
  }
  const checked = registry.find(type)?.schema?.safeParse(JSON.parse(payloadJson));
  if (checked && !checked.success) {
    throw new InvalidEventError(
      checked.error.issues.map((issue) => ({ path: ['payload', ...issue.path].join('.'), message: issue.message })),
    );
  }
}
