import { problems } from '@kernel/http';
import type { Caller } from '@kernel/eventbus';
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

  /** For services of the engine, which refuse a tenant that is undefined. */
  get caller(): Caller {
    return { actor: this.actor, ...(this.tenantId !== undefined && { tenantId: this.tenantId }) };
  }
}
