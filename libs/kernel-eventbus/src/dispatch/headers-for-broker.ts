const OURS = /^(?:content-type|webhook-(?:id|timestamp|signature)|x-kernel-.+|x-trace-id|traceparent|tracestate)$/;

/**
 * The headers of every webhook, for a dispatcher that writes to a shared broker. Headers of an endpoint or a middleware
 * may be credentials, which all readers of the broker would see, or instructions to the broker itself.
 */
export function headersForBroker(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => OURS.test(name)));
}
