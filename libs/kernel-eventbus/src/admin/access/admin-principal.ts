import { problems } from '../../http/problem.exception.js';
import type { AdminRole } from '../tokens/admin-token.entity.js';

export interface PrincipalFacts {
  /** Whom the ledger names. */
  actor: string;
  /** Of the token. Default: the actor. */
  name?: string;
  role: AdminRole;
  /** The one tenant of a tenant admin. */
  tenantId: string | null;
}

/** What says to whom the payloads of an endpoint go. */
const WHERE_TO = ['url', 'headers', 'dispatcher'];

/** Who asks. */
export class AdminPrincipal {
  readonly actor: string;
  readonly name: string;
  readonly role: AdminRole;
  /** The one tenant that he sees; undefined means all, which only an operator gets. */
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

  /** The tenant to work on, or all of them. To name one that is not one's own is refused; what is read is in `TenantScope`. */
  scopeTo(requested: string | undefined): string | undefined {
    if (this.role === 'tenant-admin' && requested !== undefined && requested !== this.tenantId) {
      throw problems.forbidden('this token is for another tenant');
    }
    return requested ?? this.tenantId;
  }

  /** An internal endpoint gets payloads whole. Whether it lies inside the company is not the tenant's to say. */
  refuseInternal(isExternal: boolean | undefined): void {
    if (this.role === 'tenant-admin' && isExternal === false) {
      throw problems.forbidden('only an operator may say that an endpoint is internal: it gets payloads unredacted');
    }
  }

  /** Nor is it the tenant's to say where payloads go that are whole. */
  refuseMoving(endpoint: { isExternal: boolean }, changed: object): void {
    const moved = WHERE_TO.filter((name) => name in changed);
    if (this.role === 'tenant-admin' && !endpoint.isExternal && moved.length > 0) {
      throw problems.forbidden(
        `only an operator may change ${moved.join(', ')} of an internal endpoint: it gets payloads unredacted`,
      );
    }
  }
}
