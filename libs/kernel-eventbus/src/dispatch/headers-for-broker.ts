const OURS = /^(?:content-type|webhook-(?:id|timestamp|signature)|x-kernel-.+|x-trace-id|traceparent)$/;

/**
 * Those that every webhook has, for a dispatcher that writes to where others read too. What an endpoint or a middleware adds may
 * be a credential, which a broker would keep for all of its readers, or a word to the broker itself.
 */
export function headersForBroker(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => OURS.test(name)));
}
