import type { Caller } from '../../access/caller.js';
import type { StoredSettings } from './stored-settings.js';

/**
 * True if the url after a request was set by an operator, so the exceptions of the outgoing guard apply to it. A
 * request without a url, or a tenant admin that sends the same url, keeps the current value. A url sent by an operator
 * always counts.
 */
export function isUrlSetByOperator(
  caller: Pick<Caller, 'tenantId'>,
  { url }: { url?: string | undefined },
  before?: Pick<StoredSettings, 'url' | 'urlSetByOperator'>,
): boolean {
  const isOperators = url !== undefined && caller.tenantId === undefined;
  const isKept = before !== undefined && (url === undefined || url === before.url);
  return isOperators || (isKept && before.urlSetByOperator);
}
