import { sql, type Kysely } from 'kysely';

/** Removes a batch of keys whose window is over, oldest first, and says how many. */
export async function pruneIdempotencyKeys(db: Kysely<unknown>, windowDays: number, limit: number): Promise<number> {
  const { rows } = await sql`
    with expired as (
      select tenant_id, key from kernel_idempotency_key
      where created_at < now() - ${windowDays}::int * interval '24 hours'
      order by created_at
      limit ${limit}
      for update skip locked
    )
    delete from kernel_idempotency_key k using expired
    where k.tenant_id = expired.tenant_id and k.key = expired.key
    returning k.event_id
  `.execute(db);
  return rows.length;
}
