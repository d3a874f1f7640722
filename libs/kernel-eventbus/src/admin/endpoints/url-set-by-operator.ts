import type { AdminPrincipal } from '../access/admin-principal.js';
import type { EndpointSettings } from './endpoint-settings.js';

/**
 * Whether an operator set the url that results from a request, so that the outgoing guard's exceptions hold for it. A request
 * without a url leaves that as it is, as does a tenant's admin who sends the same text along. An operator's url always counts.
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
