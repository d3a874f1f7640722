import { context, SpanKind, type Attributes, type Span } from '@opentelemetry/api';
import { splitUrl, type OutgoingRequest, type OutgoingResult } from '@kernel/outgoing-http';
import { formatTraceParent } from '../trace/trace-parent.js';
import { markFailed, runInSpan, tracer } from '../trace/tracer.js';

/**
 * A span around the POST, by the semantic conventions for HTTP clients. It is the receiver's parent if the request's
 * `traceparent` is of its trace. `attempts`: those before this one.
 */
export function tracePost(
  request: OutgoingRequest,
  { attempts }: { attempts: number },
  post: () => Promise<OutgoingResult>,
): Promise<OutgoingResult> {
  const active = tracer();
  if (!active) {
    return post();
  }
  const attributes = { ...attributesOf(request.url), ...(attempts > 0 && { 'http.request.resend_count': attempts }) };
  const span = active.startSpan('POST', { kind: SpanKind.CLIENT, attributes });
  return runInSpan(span, context.active(), async () => {
    const { headers } = request;
    const own = span.spanContext();
    if (headers['traceparent']?.includes(`-${own.traceId}-`)) {
      headers['traceparent'] = formatTraceParent(own)!;
    }
    const result = await post();
    noteResult(span, result);
    return result;
  });
}

/** The url without user and query: they may contain credentials. */
function attributesOf(text: string): Attributes {
  const { protocol, hostname, port } = URL.parse(text) ?? {};
  return {
    'http.request.method': 'POST',
    'url.full': splitUrl(text).shown,
    ...(hostname && {
      'server.address': hostname.replace(/^\[|\]$/g, ''),
      'server.port': Number(port) || (protocol === 'https:' ? 443 : 80),
    }),
  };
}

function noteResult(span: Span, result: OutgoingResult): void {
  if (result.kind === 'failure') {
    markFailed(span, result.errorClass);
    return;
  }
  span.setAttribute('http.response.status_code', result.statusCode);
  if (result.statusCode >= 400) {
    markFailed(span, String(result.statusCode));
  }
}
