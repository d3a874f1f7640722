import type { IncomingHttpHeaders } from 'node:http';

const SHOWN = /^(webhook-|x-kernel-)|^(content-type|user-agent|traceparent|tracestate|x-trace-id)$/;

/** The headers of the webhook; others may carry a credential and are not stored. */
export function shownHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => SHOWN.test(name))
      .map(([name, value]) => [name, String(value)]),
  );
}
