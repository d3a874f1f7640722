import { sql, type Kysely } from 'kysely';

/** Says that this worker lives. */
export async function beat(db: Kysely<unknown>, workerId: string): Promise<void> {
  await sql`
    insert into kernel_worker (worker_id) values (${workerId})
    on conflict (worker_id) do update set heartbeat_at = clock_timestamp()
  `.execute(db);
}

/** Says that it stopped by itself, with nothing left to free. */
export async function signOff(db: Kysely<unknown>, workerId: string): Promise<void> {
  await sql`
    with batch as (delete from kernel_unwritten_batch where worker_id = ${workerId})
    delete from kernel_worker where worker_id = ${workerId}
  `.execute(db);
}
