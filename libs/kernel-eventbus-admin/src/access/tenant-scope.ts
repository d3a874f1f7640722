import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { EventBusConfig } from '@kernel/eventbus/engine';
import { ProblemException } from '@kernel/http';
import { readCommitted } from '@kernel/runtime';
import type { AdminPrincipal } from './admin-principal.js';
import { defaultReadConcurrency, ReadPlaces } from './read-places.js';

const READER = 'kernel_admin_read';
/** No permission to set the role, or no such role. */
const ROLE_REFUSED = ['42501', '22023'];

const QUERY_CANCELED = '57014';
/** Of a pool whose size the host did not set. */
const PG_POOL_SIZE = 10;

/**
 * All reads and lookups by id of the admin API run here. For a tenant admin, row-level security hides other tenants'
 * rows: a query without a tenant condition returns too little, never too much.
 */
@Injectable()
export class TenantScope {
  readonly #places: ReadPlaces;

  constructor(
    private readonly em: EntityManager,
    private readonly config: EventBusConfig,
  ) {
    const { adminReadConcurrency, adminReadTimeoutMs } = config;
    const poolSize = em.config.get('pool')?.max ?? PG_POOL_SIZE;
    this.#places = new ReadPlaces(adminReadConcurrency ?? defaultReadConcurrency(poolSize), adminReadTimeoutMs);
  }

  read<T>(principal: AdminPrincipal, work: (em: EntityManager) => Promise<T>): Promise<T> {
    return this.hold(principal, async () => {
      try {
        const session = sessionOf(principal, this.config.adminReadTimeoutMs);
        return await this.em.fork({ session }).transactional(work, { readOnly: true });
      } catch (error) {
        throw isRoleRefused(error) ? rolesMissing() : isCanceled(error) ? tookTooLong() : error;
      }
    });
  }

  /** A change, in its own transaction. It starts with a read, which tells what the principal may see. */
  write<T>(principal: AdminPrincipal, work: (em: EntityManager) => Promise<T>): Promise<T> {
    return this.hold(principal, () => readCommitted(this.em, work));
  }

  /** For work of other parts of the engine: waits for a place like `read`. */
  hold<T>(principal: AdminPrincipal, work: () => Promise<T>): Promise<T> {
    return this.#places.hold(principal, work);
  }

  /** For work of minutes, of which this process does one at a time. */
  holdLong<T>(principal: AdminPrincipal, work: () => Promise<T>): Promise<T> {
    return this.#places.holdLong(principal, work);
  }

  /** For the one caller of a kind that reads one after the other: its reads wait for nobody. */
  withoutLimit<T>(work: () => Promise<T>): Promise<T> {
    return this.#places.withoutLimit(work);
  }
}

/** A read takes one core at most, and leaves the others to publishing and delivering. */
const ONE_CORE = { max_parallel_workers_per_gather: '0', jit: 'off' };

function sessionOf({ tenantId }: AdminPrincipal, timeoutMs: number) {
  const variables = { statement_timeout: String(timeoutMs), ...ONE_CORE };
  return tenantId === undefined
    ? { variables }
    : { role: READER, variables: { ...variables, 'kernel.tenant_id': tenantId } };
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
