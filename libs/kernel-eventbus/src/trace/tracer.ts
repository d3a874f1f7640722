import {
  context,
  SpanStatusCode,
  trace,
  type Context,
  type ProxyTracerProvider,
  type Span,
  type Tracer,
} from '@opentelemetry/api';

const NAME = '@kernel/eventbus';

/**
 * Undefined without an SDK, so that nothing is built for a span that nobody records. Looked up on every call: a cached
 * tracer would miss an SDK that is installed later or through another copy of the API.
 */
export function tracer(): Tracer | undefined {
  const provider = trace.getTracerProvider();
  const proxy = provider as Partial<ProxyTracerProvider>;
  return proxy.getDelegateTracer ? proxy.getDelegateTracer(NAME) : provider.getTracer(NAME);
}

/** Runs `work` within the span and ends it. */
export async function runInSpan<T>(span: Span, parent: Context, work: () => Promise<T>): Promise<T> {
  try {
    return await context.with(trace.setSpan(parent, span), work);
  } catch (error) {
    // The name only: the message may contain the caller's data.
    markFailed(span, error instanceof Error ? error.name : '_OTHER');
    throw error;
  } finally {
    span.end();
  }
}

/** `errorType`: one of few values, see `error.type` of the semantic conventions. */
export function markFailed(span: Span, errorType: string): void {
  span.setAttribute('error.type', errorType);
  span.setStatus({ code: SpanStatusCode.ERROR });
}
