import { isSpanContextValid, trace, TraceFlags, type SpanContext } from '@opentelemetry/api';

/** W3C Trace Context: version, trace id, parent id and flags; versions after 00 may have more fields. */
const TRACE_PARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

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

/**
 * The span in a traceparent, which may have ended long ago in another process; undefined if it is invalid. Of the flags
 * only `sampled` is kept: the others belong to other versions.
 */
export function parseTraceParent(text: string | null | undefined): SpanContext | undefined {
  const [, version, traceId, spanId, flags, rest] = TRACE_PARENT.exec(text ?? '') ?? [];
  if (!traceId || (version === '00' && rest !== undefined)) {
    return undefined;
  }
  return { traceId, spanId: spanId!, traceFlags: Number.parseInt(flags!, 16) & TraceFlags.SAMPLED, isRemote: true };
}
