import { context, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, type Context, type Span } from '@opentelemetry/api';
import type { ClaimedDelivery } from '../delivery/claimed-delivery.js';
import type { Settlement } from '../delivery/settlement.js';
import { outcomeOf } from './outcome.js';
import type { RoutedEvent } from './pipeline-observers.js';
import { formatTraceParent, parseTraceParent } from './trace-parent.js';

/**
 * Asked for each time: an SDK that is installed later, or through another copy of the API, would not be found by a tracer that is
 * kept. Without an SDK its spans are empty objects that nobody keeps.
 */
const tracer = () => trace.getTracer('@kernel/eventbus');

const SYSTEM = { 'messaging.system': 'kernel-eventbus' };

/** A span around `publish`, in the caller's trace. `work` is handed what the events keep of it. */
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

/** A span for each event of a batch, in the trace that published it. */
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

/** A span around an attempt: a child of the one that published the event, however long ago and wherever that was. */
export function traceAttempt(delivery: ClaimedDelivery, work: () => Promise<Settlement>): Promise<Settlement> {
  const publisher = parseTraceParent(delivery.traceParent);
  const parent = publisher ? trace.setSpanContext(ROOT_CONTEXT, publisher) : ROOT_CONTEXT;
  const span = tracer().startSpan(`attempt ${delivery.type}`, { kind: SpanKind.CONSUMER }, parent);
  if (!span.isRecording()) {
    return within(span, parent, work);
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
    const settlement = await work();
    noteOutcome(span, settlement);
    return settlement;
  });
}

function noteOutcome(span: Span, settlement: Settlement): void {
  const outcome = outcomeOf(settlement);
  span.setAttribute('kernel.outcome', outcome);
  if (settlement.statusCode !== null) {
    span.setAttribute('http.response.status_code', settlement.statusCode);
  }
  if (outcome !== 'delivered') {
    span.setAttribute('error.type', settlement.errorClass ?? settlement.deadLetterReason ?? outcome);
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
}

async function within<T>(span: Span, parent: Context, work: () => Promise<T>): Promise<T> {
  try {
    return await context.with(trace.setSpan(parent, span), work);
  } catch (error) {
    // Its name alone: a message may quote what the caller handed in.
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
