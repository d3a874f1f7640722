import { ProblemException } from '@kernel/http';
import type { AdminPrincipal } from '../access/admin-principal.js';

/** Open streams of this process. What tenants cannot take is left to operators. */
export const LISTENER_LIMITS = { total: 200, ofTenants: 160, perTenant: 20, perToken: 10 };

export interface ListenerOwner {
  token: string;
  principal: AdminPrincipal;
}

/** The reason why there is no room for another listener, or undefined. */
export function refuseListener(
  listeners: readonly ListenerOwner[],
  { token, principal: { tenantId } }: ListenerOwner,
): ProblemException | undefined {
  const { total, ofTenants, perTenant, perToken } = LISTENER_LIMITS;
  const count = (isCounted: (owner: ListenerOwner) => boolean) => listeners.filter(isCounted).length;
  if (count((owner) => owner.token === token) >= perToken) {
    return tooMany(429, `a token has at most ${perToken} open streams: close one`);
  }
  if (tenantId !== undefined && count(({ principal }) => principal.tenantId === tenantId) >= perTenant) {
    return tooMany(429, `a tenant has at most ${perTenant} open streams: close one`);
  }
  const ofAllTenants = () => count(({ principal }) => principal.tenantId !== undefined);
  if (listeners.length >= total || (tenantId !== undefined && ofAllTenants() >= ofTenants)) {
    return noRoom();
  }
  return undefined;
}

export function noRoom(): ProblemException {
  return tooMany(503, 'as many listen here as this process can tell: ask another one');
}

function tooMany(status: number, reason: string): ProblemException {
  const facts = { code: 'too-many-listeners', status, detail: `${reason}, or ask for /stats from time to time` };
  return new ProblemException(facts, { 'retry-after': '60' });
}
