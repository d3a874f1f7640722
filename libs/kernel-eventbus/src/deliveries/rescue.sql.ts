import { sql, type Kysely } from 'kysely';
import { revokeLease } from './lease-columns.sql.js';
import { isOpen, isSuspectDelivery, isSuspectLane } from './queues.sql.js';

export interface Rescue {
  workerId: string;
  deliveries: number;
}

export interface RescueOptions {
  /**
   * Time since the database came back. Workers that fell silent before count as cut off: none of their deliveries
   * becomes suspect.
   */
  databaseBackMs?: number;
}

/**
 * Lease: leased --> free (rescued), for everything that silent workers hold. Deliveries that they had begun to send
 * become suspect, with their lanes; the others return to the queue unchanged. A worker that was only slow may record an
 * outcome at the same moment: each row is checked again once its lock is held, so a finished delivery stays finished.
 * Lanes are locked first, then deliveries.
 *
 * A suspect has a solo crash when no other suspect was in flight with it. A crash of several suspects without it resets
 * its count: the killer is another one, which may have been in flight beside it before. A solo crash of another suspect
 * does not reset it: there may be two killers.
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
      where ${isOpen('d')} and ${isCrash}
    ), locked_lane as materialized (
      select l.lane_id, l.leased_by from kernel_lane l join silent on silent.worker_id = l.leased_by
      order by l.endpoint_id, l.tenant_id, l.stream_key for no key update of l
    ), lane as (
      update kernel_lane l
      set ${revokeLease('l')}, ready_at = clock_timestamp(), wake_count = l.wake_count + 1,
        is_suspect = l.is_suspect or exists (select from begun where begun.lane_id = l.lane_id)
      from locked_lane where l.lane_id = locked_lane.lane_id and l.leased_by = locked_lane.leased_by
      returning l.lane_id
    ), held as (
      select d.delivery_id, d.leased_by, begun.delivery_id is not null as is_begun,
        coalesce(begun.is_solo, false) as is_solo
      from kernel_webhook_delivery d
      join silent on silent.worker_id = d.leased_by
      left join begun on begun.delivery_id = d.delivery_id
      where ${isOpen('d')}
    ), locked as materialized (
      select d.delivery_id from kernel_webhook_delivery d join held on held.delivery_id = d.delivery_id
      where (select count(*) from lane) >= 0
      order by d.delivery_id for no key update of d
    ), freed as (
      update kernel_webhook_delivery d
      set ${revokeLease('d')}, is_suspect = d.is_suspect or held.is_begun, crashes = d.crashes + held.is_begun::int,
        lonely_deaths = d.lonely_deaths + held.is_solo::int, updated_at = clock_timestamp()
      from held
      where (select count(*) from locked) >= 0 and d.delivery_id = held.delivery_id and d.leased_by = held.leased_by
        and ${isOpen('d')}
      returning d.delivery_id, held.leased_by
    ), acquitted as materialized (
      select d.delivery_id from kernel_webhook_delivery d
      where d.delivery_id in (
          select s.delivery_id from kernel_webhook_delivery s where ${isSuspectDelivery('s')} and s.lonely_deaths > 0
          union all
          select s.delivery_id
          from kernel_lane l join kernel_webhook_delivery s on s.lane_id = l.lane_id and ${isOpen('s')}
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
