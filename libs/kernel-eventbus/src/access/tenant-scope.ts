import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { EventBusConfig } from '../eventbus.config.js';
import { refusals, RequestRefusedError } from '../eventbus.refusals.js';
import { readCommitted } from '@kernel/runtime';
import type { Caller } from './caller.js';
import { defaultReadConcurrency, ReadPlaces } from './read-places.js';

const READER = 'kernel_admin_read';
/** No permission to set the role, or no such role. */
const ROLE_REFUSED = ['42501', '22023'];

const QUERY_CANCELED = '57014';
/** Of a pool whose size the host did not set. */
const PG_POOL_SIZE = 10;

/**
 * All reads and lookups by id on behalf of a caller run here. For a tenant's caller, row-level security hides other tenants'
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

  read<T>(caller: Caller, work: (em: EntityManager) => Promise<T>): Promise<T> {
    return this.hold(caller, async () => {
      try {
        const session = sessionOf(caller, this.config.adminReadTimeoutMs);
        return await this.em.fork({ session }).transactional(work, { readOnly: true });
      } catch (error) {
        throw isRoleRefused(error) ? rolesMissing() : isCanceled(error) ? tookTooLong() : error;
      }
    });
  }

  /** A change, in its own transaction. It starts with a read, which tells what the caller may see. */
  write<T>(caller: Caller, work: (em: EntityManager) => Promise<T>): Promise<T> {
    return this.hold(caller, () => readCommitted(this.em, work));
  }

  /** For work of other parts of the engine: waits for a place like `read`. */
  hold<T>(caller: Caller, work: () => Promise<T>): Promise<T> {
    return this.#places.hold(caller, work);
  }

  /** For work of minutes, of which this process does one at a time. */
  holdLong<T>(caller: Caller, work: () => Promise<T>): Promise<T> {
    return this.#places.holdLong(caller, work);
  }

  /** For the one caller of a kind that reads one after the other: its reads wait for nobody. */
  withoutLimit<T>(work: () => Promise<T>): Promise<T> {
    return this.#places.withoutLimit(work);
  }
}

/** A read takes one core at most, and leaves the others to publishing and delivering. */
const ONE_CORE = { max_parallel_workers_per_gather: '0', jit: 'off' };

function sessionOf({ tenantId }: Caller, timeoutMs: number) {
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
function tookTooLong(): RequestRefusedError {
  return refusals.tookTooLong(
    'this would take the database too long: ask for less, by since, kind, eventId, deliveryId or traceId',
  );
}

/**
 * Without the role nothing confines a caller to its tenant, so callers with a tenant are refused. Operators still work.
 */
function rolesMissing(): RequestRefusedError {
  return new RequestRefusedError(
    'DATABASE_ROLES_MISSING',
    `tenant admins are served only where the database has the role ${READER}: an operator can set it up, see "Database roles" in docs/security.md`,
  );
}
