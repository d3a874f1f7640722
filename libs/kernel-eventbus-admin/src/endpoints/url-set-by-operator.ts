import type { AdminPrincipal } from '../access/admin-principal.js';
import type { EndpointSettings } from './endpoint-settings.js';

/**
 * True if the url after a request was set by an operator, so the exceptions of the outgoing guard apply to it. A
 * request without a url, or a tenant admin that sends the same url, keeps the current value. A url sent by an operator
 * always counts.
 */
export function isUrlSetByOperator(
  principal: Pick<AdminPrincipal, 'role'>,
  { url }: { url?: string | undefined },
  before?: Pick<EndpointSettings, 'url' | 'urlSetByOperator'>,
): boolean {
  const isOperators = url !== undefined && principal.role === 'operator';
  const isKept = before !== undefined && (url === undefined || url === before.url);
  return isOperators || (isKept && before.urlSetByOperator);
}
