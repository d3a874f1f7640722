import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { EventBusConfig } from '@kernel/eventbus/engine';
import { ProblemException } from '@kernel/http';
import type { AdminPrincipal } from './admin-principal.js';

const READER = 'kernel_admin_read';
/** No permission to set the role, or no such role. */
const ROLE_REFUSED = ['42501', '22023'];

const QUERY_CANCELED = '57014';

/**
 * All reads and lookups by id of the admin API run here. For a tenant admin, row-level security hides other tenants'
 * rows: a query without a tenant condition returns too little, never too much.
 */
@Injectable()
export class TenantScope {
  constructor(
    private readonly em: EntityManager,
    private readonly config: EventBusConfig,
  ) {}

  async read<T>({ tenantId }: AdminPrincipal, work: (em: EntityManager) => Promise<T>): Promise<T> {
    if (tenantId === undefined) {
      return work(this.em.fork());
    }
    const variables = { 'kernel.tenant_id': tenantId, statement_timeout: String(this.config.adminReadTimeoutMs) };
    const session = { role: READER, variables };
    try {
      return await this.em.fork({ session }).transactional(work, { readOnly: true });
    } catch (error) {
      throw isRoleRefused(error) ? rolesMissing() : isCanceled(error) ? tookTooLong() : error;
    }
  }
}

function isRoleRefused(error: unknown): boolean {
  const { code, message } = error as { code?: string; message?: string };
  return ROLE_REFUSED.includes(code ?? '') && (message ?? '').includes(READER);
}

function isCanceled(error: unknown): boolean {
  return (error as { code?: string }).code === QUERY_CANCELED;
}

/** Tenants share the database, so no tenant's wide query may exhaust it. */
function tookTooLong(): ProblemException {
  return new ProblemException({
    code: 'took-too-long',
    status: 503,
    detail: 'this would take the database too long: ask for less, by since, kind, eventId, deliveryId or traceId',
  });
}

/**
 * Without the role nothing confines a tenant admin to its tenant, so tenant admins are refused. Operators still work.
 */
function rolesMissing(): ProblemException {
  return new ProblemException({
    code: 'database-roles-missing',
    status: 503,
    detail: `tenant admins are served only where the database has the role ${READER}: an operator can set it up, see "Database roles" in docs/security.md`,
  });
}
