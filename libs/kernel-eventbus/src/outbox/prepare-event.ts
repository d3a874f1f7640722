import { listIssues, newId } from '@kernel/runtime';
import { sha256Hex, toCanonicalJson } from '../envelope/canonical-json.js';
import { jsonDepth } from '../envelope/json-depth.js';
import type { EventRegistry } from '../envelope/event-registry.js';
import {
  IdempotencyKeyRequiredError,
  InvalidEventError,
  PayloadTooLargeError,
  TraceIdRequiredError,
} from '../eventbus.errors.js';
import { checkPrivacy } from './check-privacy.js';
import { PublishableEvent } from '../envelope/publishable-event.js';

/** An event ready to be written. Serialised inside `publish`, so that later changes to the object have no effect. */
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
  idempotencyKey: string | null;
  /** Of the span that published the event, or of its caller; null without tracing. */
  traceParent: string | null;
  traceState: string | null;
  /** True if the event takes a sequence number in its stream. */
  isSequenced: boolean;
  /** True if the publisher supplied the id, which may have been used before; a generated id is new. */
  isIdSupplied: boolean;
}

export interface PrepareContext {
  registry: EventRegistry;
  traceId: string | undefined;
  traceParent: string | null;
  traceState: string | null;
  now: Date;
  maxPayloadBytes: number;
  maxPayloadDepth: number;
  /** True if types without their own setting need an idempotency key. */
  isKeyRequired: boolean;
}

export function prepareEvent(input: PublishableEvent, context: PrepareContext): PreparedEvent {
  const event = parseEvent(input);
  const traceId = event.traceId ?? context.traceId;
  if (!traceId) {
    throw new TraceIdRequiredError(event.type);
  }
  const definition = context.registry.find(event.type);
  requireKey(event, definition?.idempotencyKey ?? (context.isKeyRequired ? 'required' : 'optional'));
  // From the input: Zod drops a member called __proto__ from its copy.
  const payloadJson = serialise(event.type, 'payload', input.payload ?? {});
  checkPayload(event.type, payloadJson, context);
  const attributesJson = input.attributes ? serialiseAttributes(event.type, input.attributes, context) : '{}';
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
    idempotencyKey: event.idempotencyKey ?? null,
    traceParent: context.traceParent,
    traceState: context.traceState,
    isSequenced: definition?.ordering !== 'none',
    isIdSupplied: event.eventId !== undefined,
  };
}

function parseEvent(input: PublishableEvent) {
  const parsed = PublishableEvent.safeParse(input);
  if (!parsed.success) {
    const { type } = (input ?? {}) as { type?: unknown };
    throw invalid(typeof type === 'string' ? type : undefined, listIssues(parsed.error.issues));
  }
  return parsed.data;
}

function requireKey({ type, idempotencyKey }: PublishableEvent, demand: 'required' | 'optional'): void {
  if (demand === 'required' && idempotencyKey === undefined) {
    throw new IdempotencyKeyRequiredError(type);
  }
}

const MAX_TYPE_LENGTH = 160;

function invalid(
  type: string | undefined,
  issues: ConstructorParameters<typeof InvalidEventError>[0],
): InvalidEventError {
  return new InvalidEventError(issues, { what: type ? `the event ${type.slice(0, MAX_TYPE_LENGTH)}` : 'the event' });
}

function serialise(type: string, path: string, value: unknown): string {
  const canonical = toCanonicalJson(value);
  if (!canonical.isStorable) {
    throw invalid(type, [{ path, message: canonical.problem }]);
  }
  if (!canonical.json.startsWith('{')) {
    throw invalid(type, [{ path, message: 'must be an object, also after its toJSON()' }]);
  }
  return canonical.json;
}

/** Attributes are copied into every ledger entry of the event, so they are kept small. */
const MAX_ATTRIBUTES_BYTES = 8_192;

function serialiseAttributes(type: string, attributes: object, { maxPayloadDepth }: PrepareContext): string {
  const json = serialise(type, 'attributes', attributes);
  const bytes = Buffer.byteLength(json);
  if (bytes > MAX_ATTRIBUTES_BYTES) {
    const message = `have ${bytes} bytes; at most ${MAX_ATTRIBUTES_BYTES} are allowed`;
    throw invalid(type, [{ path: 'attributes', message }]);
  }
  checkDepth(type, 'attributes', json, maxPayloadDepth);
  return json;
}

/** PostgreSQL, redaction and receivers recurse when they read the event. */
function checkDepth(type: string, path: string, json: string, maxDepth: number): void {
  const depth = jsonDepth(json);
  if (depth > maxDepth) {
    const message = `nested ${depth} levels deep; at most ${maxDepth} are allowed (option maxPayloadDepth)`;
    throw invalid(type, [{ path, message }]);
  }
}

function checkPayload(type: string, payloadJson: string, context: PrepareContext): void {
  const { registry, maxPayloadBytes, maxPayloadDepth } = context;
  const bytes = Buffer.byteLength(payloadJson);
  if (bytes > maxPayloadBytes) {
    throw new PayloadTooLargeError(type, bytes, maxPayloadBytes);
  }
  checkDepth(type, 'payload', payloadJson, maxPayloadDepth);
  const checked = registry.find(type)?.schema?.safeParse(JSON.parse(payloadJson));
  if (checked && !checked.success) {
    throw invalid(type, listIssues(checked.error.issues, ['payload']));
  }
}
