import { sql, type Kysely } from 'kysely';

/** Says that this worker lives. */
export async function beat(db: Kysely<unknown>, workerId: string): Promise<void> {
  await sql`
    insert into kernel_worker (worker_id) values (${workerId})
    on conflict (worker_id) do update set heartbeat_at = clock_timestamp()
  `.execute(db);
}

/** Says that it stopped by itself, with nothing left to free: what it sent and could not write is not suspect because it is gone. */
export async function signOff(db: Kysely<unknown>, workerId: string): Promise<void> {
  await sql`
    with batch as (update kernel_unwritten_batch set worker_id = null where worker_id = ${workerId})
    delete from kernel_worker where worker_id = ${workerId}
  `.execute(db);
}
