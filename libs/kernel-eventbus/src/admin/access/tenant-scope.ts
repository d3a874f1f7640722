import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { EventBusConfig } from '../../eventbus.options.js';
import { ProblemException } from '../../http/problem.exception.js';
import type { AdminPrincipal } from './admin-principal.js';

const READER = 'kernel_admin_read';
/** No right to take the role on, or no such role. */
const ROLE_REFUSED = ['42501', '22023'];

const QUERY_CANCELED = '57014';

/**
 * Everything that the admin API shows or looks up by id is read in here. For a tenant's admin the database itself leaves out
 * what is not the tenant's, whatever the query says; so a query that forgets its tenant finds too little and never too much.
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

/** Many tenants share the tables and the database: nobody's wide question may take it from the others. */
function tookTooLong(): ProblemException {
  return new ProblemException({
    type: 'took-too-long',
    status: 503,
    detail: 'this would take the database too long: ask for less, by since, kind, eventId, deliveryId or traceId',
  });
}

/** Without the role nothing would hold a tenant's admin to his tenant: so he is refused, while operators go on. */
function rolesMissing(): ProblemException {
  return new ProblemException({
    type: 'database-roles-missing',
    status: 503,
    detail: `tenant admins are served only where the database has the role ${READER}: an operator can set it up, see "Database roles" in docs/security.md`,
  });
}
