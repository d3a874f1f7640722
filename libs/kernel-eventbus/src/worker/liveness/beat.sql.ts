import { sql, type Kysely } from 'kysely';

/** Records a heartbeat. True if the worker had no row: it is new, or a rescuer declared it dead. */
export async function beat(db: Kysely<unknown>, workerId: string): Promise<boolean> {
  const { rows } = await sql<{ isNew: boolean }>`
    insert into kernel_worker (worker_id) values (${workerId})
    on conflict (worker_id) do update set heartbeat_at = clock_timestamp()
    returning xmax = 0 as "isNew"
  `.execute(db);
  return rows[0]!.isNew;
}

/** Removes the worker's row after a clean stop, with no leases left. */
export async function signOff(db: Kysely<unknown>, workerId: string): Promise<void> {
  await sql`delete from kernel_worker where worker_id = ${workerId}`.execute(db);
}
