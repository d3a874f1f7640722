import { sql, type Kysely } from 'kysely';

/** Gives back what a stopping worker still holds: no attempt is used up, another worker may take it at once. */
export async function releaseLeases(db: Kysely<unknown>, workerId: string): Promise<void> {
  await sql`
    with lane as (
      update kernel_lane set lease_until = null, leased_by = null, lease_epoch = lease_epoch + 1
      where leased_by = ${workerId}
    )
    update kernel_webhook_delivery
    set lease_until = null, leased_by = null, lease_epoch = lease_epoch + 1
    where leased_by = ${workerId} and lease_until is not null and status in ('PENDING', 'FAILED')
  `.execute(db);
}
