import { sql, type Kysely } from 'kysely';

export interface Rescue {
  workerId: string;
  deliveries: number;
}

/**
 * Frees what silent workers hold. Whatever was in their hands is suspect from now on, innocent or not. A suspect that was
 * all a worker held when it died has one more lonely death to its name. A worker that was only slow may settle something at this
 * very moment: each row is judged as it is once its lock is had, so what is settled stays so.
 */
export async function rescueLeases(db: Kysely<unknown>, silentMs: number): Promise<Rescue[]> {
  const { rows } = await sql<Rescue>`
    with silent as (
      delete from kernel_worker where worker_id in (
        select worker_id from kernel_worker
        where heartbeat_at < clock_timestamp() - ${silentMs} * interval '1 millisecond'
        for update skip locked
      )
      returning worker_id
    ), held as (
      select d.delivery_id, d.leased_by, d.is_suspect and count(*) over (partition by d.leased_by) = 1 as is_lonely
      from kernel_webhook_delivery d join silent on silent.worker_id = d.leased_by
      where d.status in ('PENDING', 'FAILED')
    ), lane as (
      update kernel_lane l
      set lease_until = null, leased_by = null, lease_epoch = l.lease_epoch + 1, ready_at = clock_timestamp(),
        wake_count = l.wake_count + 1, is_suspect = true
      from silent where l.leased_by = silent.worker_id
    ), freed as (
      update kernel_webhook_delivery d
      set lease_until = null, leased_by = null, lease_epoch = d.lease_epoch + 1, is_suspect = true,
        lonely_deaths = d.lonely_deaths + held.is_lonely::int, updated_at = clock_timestamp()
      from held
      where d.delivery_id = held.delivery_id and d.leased_by = held.leased_by and d.status in ('PENDING', 'FAILED')
      returning d.delivery_id, held.leased_by
    )
    select silent.worker_id as "workerId", count(freed.delivery_id)::int as deliveries
    from silent left join freed on freed.leased_by = silent.worker_id
    group by 1
  `.execute(db);
  return rows;
}
