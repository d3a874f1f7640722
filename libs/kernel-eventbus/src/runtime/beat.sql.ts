import { sql, type Kysely } from 'kysely';

/** Says that this worker lives. True: there was no row of it, either because it is new or because a rescuer took it for dead. */
export async function beat(db: Kysely<unknown>, workerId: string): Promise<boolean> {
  const { rows } = await sql<{ isNew: boolean }>`
    insert into kernel_worker (worker_id) values (${workerId})
    on conflict (worker_id) do update set heartbeat_at = clock_timestamp()
    returning xmax = 0 as "isNew"
  `.execute(db);
  return rows[0]!.isNew;
}

/** Says that it stopped by itself, with nothing left to free. */
export async function signOff(db: Kysely<unknown>, workerId: string): Promise<void> {
  await sql`delete from kernel_worker where worker_id = ${workerId}`.execute(db);
}
