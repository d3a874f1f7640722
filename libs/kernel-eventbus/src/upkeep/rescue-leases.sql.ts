import { sql, type Kysely } from 'kysely';
import { isSuspectDelivery } from '../delivery/delivery-queues.sql.js';
import { isSuspectLane } from '../lanes/lane-queues.sql.js';

export interface Rescue {
  workerId: string;
  deliveries: number;
}

export interface RescueOptions {
  /** The database came back so long ago. Workers that fell silent before count as cut off: nothing of theirs becomes suspect. */
  databaseBackMs?: number;
}

/**
 * Frees what silent workers hold. The deliveries that they had begun to send are suspect from now on, with their lanes; the others go back
 * to the queue as they were. A worker that was only slow may settle something at this very moment: each row is judged as it is once its
 * lock is had, so what is settled stays so. Lanes are locked first, then deliveries.
 *
 * A suspect has a solo crash when no other suspect was in flight with it. A crash of several suspects without it starts its count anew:
 * something else kills, which may have been in flight beside it before. A solo crash of another one does not: there may be two killers.
 */
export async function rescueLeases(
  db: Kysely<unknown>,
  silentMs: number,
  { databaseBackMs }: RescueOptions = {},
): Promise<Rescue[]> {
  const isCrash =
    databaseBackMs === undefined
      ? sql`true`
      : sql`silent.heartbeat_at >= clock_timestamp() - ${databaseBackMs} * interval '1 millisecond'`;
  const { rows } = await sql<Rescue>`
    with silent as (
      delete from kernel_worker where worker_id in (
        select worker_id from kernel_worker
        where heartbeat_at < clock_timestamp() - ${silentMs} * interval '1 millisecond'
        for update skip locked
      )
      returning worker_id, in_flight, heartbeat_at
    ), begun as (
      select d.delivery_id, d.lane_id,
        d.is_suspect and count(*) filter (where d.is_suspect) over (partition by d.leased_by) = 1 as is_solo
      from silent
      cross join unnest(silent.in_flight) as named (delivery_id)
      join kernel_webhook_delivery d on d.delivery_id = named.delivery_id and d.leased_by = silent.worker_id
      where d.status in ('PENDING', 'FAILED') and ${isCrash}
    ), locked_lane as materialized (
      select l.lane_id, l.leased_by from kernel_lane l join silent on silent.worker_id = l.leased_by
      order by l.endpoint_id, l.tenant_id, l.stream_key for no key update of l
    ), lane as (
      update kernel_lane l
      set lease_until = null, leased_by = null, lease_epoch = l.lease_epoch + 1, ready_at = clock_timestamp(),
        wake_count = l.wake_count + 1,
        is_suspect = l.is_suspect or exists (select from begun where begun.lane_id = l.lane_id)
      from locked_lane where l.lane_id = locked_lane.lane_id and l.leased_by = locked_lane.leased_by
      returning l.lane_id
    ), held as (
      select d.delivery_id, d.leased_by, begun.delivery_id is not null as is_begun, coalesce(begun.is_solo, false) as is_solo
      from kernel_webhook_delivery d
      join silent on silent.worker_id = d.leased_by
      left join begun on begun.delivery_id = d.delivery_id
      where d.status in ('PENDING', 'FAILED')
    ), locked as materialized (
      select d.delivery_id from kernel_webhook_delivery d join held on held.delivery_id = d.delivery_id
      where (select count(*) from lane) >= 0
      order by d.delivery_id for no key update of d
    ), freed as (
      update kernel_webhook_delivery d
      set lease_until = null, leased_by = null, lease_epoch = d.lease_epoch + 1,
        is_suspect = d.is_suspect or held.is_begun, crashes = d.crashes + held.is_begun::int,
        lonely_deaths = d.lonely_deaths + held.is_solo::int, updated_at = clock_timestamp()
      from held
      where (select count(*) from locked) >= 0 and d.delivery_id = held.delivery_id and d.leased_by = held.leased_by and d.status in ('PENDING', 'FAILED')
      returning d.delivery_id, held.leased_by
    ), acquitted as materialized (
      select d.delivery_id from kernel_webhook_delivery d
      where d.delivery_id in (
          select s.delivery_id from kernel_webhook_delivery s where ${isSuspectDelivery('s')} and s.lonely_deaths > 0
          union all
          select s.delivery_id
          from kernel_lane l join kernel_webhook_delivery s on s.lane_id = l.lane_id and s.status in ('PENDING', 'FAILED')
          where ${isSuspectLane('l')} and s.lonely_deaths > 0
        )
        and d.leased_by is null and (select count(*) from freed) >= 0
        and exists (select from begun) and not exists (select from begun where is_solo)
      order by d.delivery_id for no key update of d skip locked
    ), interrupted as (
      update kernel_webhook_delivery d set lonely_deaths = 0
      from acquitted where d.delivery_id = acquitted.delivery_id
    )
    select silent.worker_id as "workerId", count(freed.delivery_id)::int as deliveries
    from silent left join freed on freed.leased_by = silent.worker_id
    group by 1
  `.execute(db);
  return rows;
}
