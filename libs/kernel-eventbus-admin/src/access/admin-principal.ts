import { problems } from '@kernel/http';
import type { AdminRole } from '@kernel/eventbus/engine';

export interface PrincipalFacts {
  /** Actor in ledger entries. */
  actor: string;
  /** Name of the token. Default: the actor. */
  name?: string;
  role: AdminRole;
  /** Set for a tenant admin, null for an operator. */
  tenantId: string | null;
}

/** Settings that decide where an endpoint's payloads are sent. */
const WHERE_TO = ['url', 'headers', 'dispatcher'];

/** The authenticated caller. */
export class AdminPrincipal {
  readonly actor: string;
  readonly name: string;
  readonly role: AdminRole;
  /** The only tenant the principal can see; undefined means all tenants (operators only). */
  readonly tenantId: string | undefined;

  constructor({ actor, name = actor, role, tenantId }: PrincipalFacts) {
    this.actor = actor;
    this.name = name;
    this.role = role;
    this.tenantId = tenantId ?? undefined;
    if ((role === 'tenant-admin') !== (this.tenantId !== undefined)) {
      throw new Error(`a tenant admin has one tenant and an operator none: check the token of ${actor}`);
    }
  }

  /**
   * The tenant of the request, or undefined for all. Refuses a tenant other than the principal's own. `TenantScope`
   * enforces this for reads.
   */
  scopeTo(requested: string | undefined): string | undefined {
    if (this.role === 'tenant-admin' && requested !== undefined && requested !== this.tenantId) {
      throw problems.forbidden('this token is for another tenant');
    }
    return requested ?? this.tenantId;
  }

  /** An internal endpoint gets unredacted payloads, so a tenant admin may not declare one. */
  refuseInternal(isExternal: boolean | undefined): void {
    if (this.role === 'tenant-admin' && isExternal === false) {
      throw problems.forbidden('only an operator may say that an endpoint is internal: it gets payloads unredacted');
    }
  }

  /** A tenant admin may not redirect unredacted payloads. */
  refuseMoving(endpoint: { isExternal: boolean }, changed: object): void {
    const moved = WHERE_TO.filter((name) => name in changed);
    if (this.role === 'tenant-admin' && !endpoint.isExternal && moved.length > 0) {
      throw problems.forbidden(
        `only an operator may change ${moved.join(', ')} of an internal endpoint: it gets payloads unredacted`,
      );
    }
  }
}
