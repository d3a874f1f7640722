import { isSpanContextValid, trace, type SpanContext } from '@opentelemetry/api';

const TRACE_PARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/** The active span, if the application uses tracing. */
export function activeSpan(): SpanContext | undefined {
  const span = trace.getActiveSpan()?.spanContext();
  return span && isSpanContextValid(span) ? span : undefined;
}

/** W3C traceparent of a span; null for a no-op span. */
export function formatTraceParent(span: SpanContext): string | null {
  if (!isSpanContextValid(span)) {
    return null;
  }
  return `00-${span.traceId}-${span.spanId}-${span.traceFlags.toString(16).padStart(2, '0')}`;
}

/** The span in a traceparent; it may have ended long ago in another process. */
export function parseTraceParent(text: string | null): SpanContext | undefined {
  const [, traceId, spanId, flags] = TRACE_PARENT.exec(text ?? '') ?? [];
  return traceId ? { traceId, spanId: spanId!, traceFlags: Number.parseInt(flags!, 16), isRemote: true } : undefined;
}
