import { sql, type RawBuilder } from 'kysely';

export interface Lease {
  workerId: string;
  leaseMs: number;
}

const NO_LEASE = 'lease_until = null, leased_by = null';

/** Assignments that end the lease of a delivery or lane. A late write of its former holder matches no row. */
export const CLEAR_LEASE = sql.raw(NO_LEASE);

/** The same for a lease that its holder did not release: the new epoch fences off a holder that comes back. */
export function revokeLease(x: string): RawBuilder<unknown> {
  return sql.raw(`${NO_LEASE}, lease_epoch = ${x}.lease_epoch + 1`);
}

/** Assignments that lease row `x` to a worker. */
export function takeLease(x: string, { leaseMs, workerId }: Lease): RawBuilder<unknown> {
  return sql`lease_until = ${leaseEnd(leaseMs)}, lease_epoch = ${sql.raw(x)}.lease_epoch + 1, leased_by = ${workerId}`;
}

export function leaseEnd(leaseMs: number): RawBuilder<unknown> {
  return sql`clock_timestamp() + ${leaseMs} * interval '1 millisecond'`;
}

/**
 * Row `x` can be claimed as far as its lease goes. Compared with now(), which an index can use, unlike
 * clock_timestamp().
 */
export function isFree(x: string, takesExpired: boolean): RawBuilder<unknown> {
  const until = sql.raw(`${x}.lease_until`);
  return sql`(${until} is null or (${takesExpired} and ${until} <= now()))`;
}

/** No worker holds row `x` at this moment. */
export function isUnleased(x: string): RawBuilder<unknown> {
  return sql.raw(`(${x}.lease_until is null or ${x}.lease_until <= clock_timestamp())`);
}
