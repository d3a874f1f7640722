import { z } from 'zod';
import { Id, storable } from '../envelope/request-fields.js';
import { refusals } from '../eventbus.refusals.js';
import { parseInput } from './parse-input.js';

/** The author of a request. Without a tenant it has the rights of an operator. */
export interface Caller {
  /** Actor in ledger entries, e.g. `user:42`. */
  actor: string;
  /** The only tenant that the caller can see and change. Left out: all tenants. */
  tenantId?: string;
}

const CallerSchema = z.strictObject({ actor: storable(z.string().min(1).max(500)), tenantId: Id.optional() });

/** Refuses a tenant that is undefined, e.g. of a user without one: it would have the rights of an operator. */
export function parseCaller(caller: Caller): Caller {
  if ('tenantId' in caller && caller.tenantId === undefined) {
    throw refusals.invalid(
      'tenantId',
      'is undefined: give the id of a tenant, or leave it out for the rights of an operator',
    );
  }
  return parseInput(CallerSchema, caller);
}

/** The tenant of a request, or undefined for all. Refuses a tenant other than the caller's own. */
export function tenantOf(caller: Caller, requested: string | undefined): string | undefined {
  if (caller.tenantId !== undefined && requested !== undefined && requested !== caller.tenantId) {
    throw refusals.forbidden('the caller is confined to another tenant');
  }
  return requested ?? caller.tenantId;
}

/** An internal endpoint gets unredacted payloads, so a tenant's caller may not declare one. */
export function refuseInternal(caller: Caller, isExternal: boolean | undefined): void {
  if (caller.tenantId !== undefined && isExternal === false) {
    throw refusals.forbidden('only an operator may say that an endpoint is internal: it gets payloads unredacted');
  }
}

/** Settings that decide where an endpoint's payloads are sent. */
const WHERE_TO = ['url', 'headers', 'dispatcher'];

/** A tenant's caller may not redirect unredacted payloads. */
export function refuseMoving(caller: Caller, endpoint: { isExternal: boolean }, changed: object): void {
  const moved = WHERE_TO.filter((name) => name in changed);
  if (caller.tenantId !== undefined && !endpoint.isExternal && moved.length > 0) {
    throw refusals.forbidden(
      `only an operator may change ${moved.join(', ')} of an internal endpoint: it gets payloads unredacted`,
    );
  }
}
