import { context, ROOT_CONTEXT, SpanKind, trace, type Attributes, type Span } from '@opentelemetry/api';
import type { ClaimedDelivery } from '../deliveries/claimed-delivery.js';
import type { AttemptRecord } from '../deliveries/attempt-record.js';
import { outcomeOf } from './outcome.js';
import type { RoutedEvent } from './pipeline-observers.js';
import { activeSpan, formatTraceParent, parseTraceParent } from '../trace/trace-parent.js';
import { markFailed, runInSpan, tracer } from '../trace/tracer.js';

/**
 * Spans by the semantic conventions for messaging: an event type is a destination. Attributes are given at the start,
 * where samplers see them.
 */
function messaging(operation: string, type?: string): Attributes {
  return {
    'messaging.system': 'kernel-eventbus',
    'messaging.operation.name': operation,
    ...(type && { 'messaging.destination.name': type }),
  };
}

/** A span around `publish`, in the caller's trace. `work` receives the traceparent to store with the events. */
export function tracePublish<T extends { eventId: string }>(
  events: readonly { type: string }[],
  work: (traceParent: string | null) => Promise<T[]>,
): Promise<T[]> {
  const active = tracer();
  if (!active) {
    const caller = activeSpan();
    return work(caller ? formatTraceParent(caller) : null);
  }
  const types = [...new Set(events.map(({ type }) => type))];
  const type = types.length === 1 ? types[0]! : undefined;
  const attributes = {
    ...messaging('publish', type),
    // The span's context is the creation context of its messages, hence a producer.
    'messaging.operation.type': 'send',
    ...(!type && { 'kernel.event_types': types }),
    ...(events.length !== 1 && { 'messaging.batch.message_count': events.length }),
  };
  const span = active.startSpan(type ? `publish ${type}` : 'publish', { kind: SpanKind.PRODUCER, attributes });
  return runInSpan(span, context.active(), async () => {
    const published = await work(formatTraceParent(span.spanContext()));
    if (published.length === 1) {
      span.setAttribute('messaging.message.id', published[0]!.eventId);
    }
    return published;
  });
}

/** A span per event of a batch, in the trace of its publication. */
export function traceRouting(events: readonly RoutedEvent[], startTime: number): void {
  const active = tracer();
  if (!active) {
    return;
  }
  const endTime = Date.now();
  for (const { eventId, type, traceParent } of events) {
    const publisher = parseTraceParent(traceParent);
    if (publisher) {
      const attributes = { ...messaging('route', type), 'messaging.message.id': eventId };
      const options = { kind: SpanKind.INTERNAL, startTime, attributes };
      active.startSpan(`route ${type}`, options, trace.setSpanContext(ROOT_CONTEXT, publisher)).end(endTime);
    }
  }
}

/** A span around an attempt, as a child of the publishing span, which may be old and from another process. */
export function traceAttempt(delivery: ClaimedDelivery, work: () => Promise<AttemptRecord>): Promise<AttemptRecord> {
  const active = tracer();
  const publisher = parseTraceParent(delivery.traceParent);
  const parent = publisher ? trace.setSpanContext(ROOT_CONTEXT, publisher) : ROOT_CONTEXT;
  if (!active) {
    return publisher ? context.with(parent, work) : work();
  }
  const attributes = {
    ...messaging('attempt', delivery.type),
    'messaging.operation.type': 'process',
    'messaging.message.id': delivery.eventId,
    'kernel.trace_id': delivery.traceId,
    'kernel.tenant_id': delivery.tenantId,
    'kernel.endpoint_id': delivery.endpointId,
    'kernel.delivery_id': delivery.deliveryId,
    'kernel.attempt': delivery.attempts + 1,
  };
  const links = publisher ? [{ context: publisher }] : [];
  const span = active.startSpan(`attempt ${delivery.type}`, { kind: SpanKind.CONSUMER, attributes, links }, parent);
  return runInSpan(span, parent, async () => {
    const record = await work();
    noteOutcome(span, record);
    return record;
  });
}

function noteOutcome(span: Span, record: AttemptRecord): void {
  const outcome = outcomeOf(record);
  span.setAttribute('kernel.outcome', outcome);
  if (outcome !== 'delivered') {
    markFailed(span, record.errorClass ?? record.deadLetterReason ?? outcome);
  }
}
