import {
  context,
  isSpanContextValid,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Context,
  type Span,
} from '@opentelemetry/api';
import type { ClaimedDelivery } from '../deliveries/claimed-delivery.js';
import type { AttemptRecord } from '../deliveries/attempt-record.js';
import { outcomeOf } from './outcome.js';
import type { RoutedEvent } from './pipeline-observers.js';
import { formatTraceParent, parseTraceParent } from '../trace/trace-parent.js';

/**
 * Looked up on every call: a cached tracer would miss an SDK that is installed later or through another copy of the
 * API. Without an SDK, spans are no-ops.
 */
const tracer = () => trace.getTracer('@kernel/eventbus');

const SYSTEM = { 'messaging.system': 'kernel-eventbus' };

/** A span around `publish`, in the caller's trace. `work` receives the traceparent to store with the events. */
export function tracePublish<T>(
  events: readonly { type: string }[],
  work: (traceParent: string | null) => Promise<T>,
): Promise<T> {
  const types = new Set(events.map(({ type }) => type));
  const span = tracer().startSpan(nameOf('publish', types), { kind: SpanKind.PRODUCER });
  if (span.isRecording()) {
    span.setAttributes({ ...SYSTEM, 'messaging.operation.name': 'publish', 'kernel.event_types': [...types] });
    span.setAttribute('messaging.batch.message_count', events.length);
  }
  return within(span, context.active(), () => work(formatTraceParent(span.spanContext())));
}

/** A span per event of a batch, in the trace of its publication. */
export function traceRouting(events: readonly RoutedEvent[], startTime: number): void {
  const endTime = Date.now();
  for (const { eventId, type, traceParent } of events) {
    const publisher = parseTraceParent(traceParent);
    if (publisher) {
      const options = { kind: SpanKind.INTERNAL, startTime };
      const span = tracer().startSpan(`route ${type}`, options, trace.setSpanContext(ROOT_CONTEXT, publisher));
      span.setAttributes({ ...SYSTEM, 'messaging.operation.name': 'route', 'messaging.message.id': eventId });
      span.end(endTime);
    }
  }
}

/** A span around an attempt, as a child of the publishing span, which may be old and from another process. */
export function traceAttempt(delivery: ClaimedDelivery, work: () => Promise<AttemptRecord>): Promise<AttemptRecord> {
  const publisher = parseTraceParent(delivery.traceParent);
  const parent = publisher ? trace.setSpanContext(ROOT_CONTEXT, publisher) : ROOT_CONTEXT;
  const span = tracer().startSpan(`attempt ${delivery.type}`, { kind: SpanKind.CONSUMER }, parent);
  if (!span.isRecording()) {
    // Without an SDK there is no span to pass on.
    return isSpanContextValid(span.spanContext()) ? within(span, parent, work) : work();
  }
  span.setAttributes({
    ...SYSTEM,
    'messaging.operation.name': 'attempt',
    'messaging.message.id': delivery.eventId,
    'kernel.trace_id': delivery.traceId,
    'kernel.tenant_id': delivery.tenantId,
    'kernel.endpoint_id': delivery.endpointId,
    'kernel.delivery_id': delivery.deliveryId,
    'kernel.attempt': delivery.attempts + 1,
  });
  return within(span, parent, async () => {
    const record = await work();
    noteOutcome(span, record);
    return record;
  });
}

function noteOutcome(span: Span, record: AttemptRecord): void {
  const outcome = outcomeOf(record);
  span.setAttribute('kernel.outcome', outcome);
  if (record.statusCode !== null) {
    span.setAttribute('http.response.status_code', record.statusCode);
  }
  if (outcome !== 'delivered') {
    span.setAttribute('error.type', record.errorClass ?? record.deadLetterReason ?? outcome);
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
}

async function within<T>(span: Span, parent: Context, work: () => Promise<T>): Promise<T> {
  try {
    return await context.with(trace.setSpan(parent, span), work);
  } catch (error) {
    // The name only: the message may contain the caller's data.
    span.setAttribute('error.type', error instanceof Error ? error.name : 'unknown');
    span.setStatus({ code: SpanStatusCode.ERROR });
    throw error;
  } finally {
    span.end();
  }
}

function nameOf(operation: string, types: ReadonlySet<string>): string {
  return types.size === 1 ? `${operation} ${[...types][0]}` : operation;
}
