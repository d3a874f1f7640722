import type { TestDatabase } from '@kernel/test-support/test-database';

/** Open work; a finished run has none. */
export interface Remains {
  unroutedEvents: number;
  openDeliveries: number;
  leasedDeliveries: number;
  suspectDeliveries: number;
  leasedLanes: number;
  waitingLanes: number;
  suspectLanes: number;
  openCircuits: number;
}

export const NOTHING_LEFT: Remains = {
  unroutedEvents: 0,
  openDeliveries: 0,
  leasedDeliveries: 0,
  suspectDeliveries: 0,
  leasedLanes: 0,
  waitingLanes: 0,
  suspectLanes: 0,
  openCircuits: 0,
};

export async function selectRemains(database: TestDatabase): Promise<Remains> {
  const [remains] = await database.query<Remains & Record<string, unknown>>(`
    select
      (select count(*)::int from kernel_outbox_event where status = 'PENDING') as "unroutedEvents",
      d.open as "openDeliveries", d.leased as "leasedDeliveries", d.suspect as "suspectDeliveries",
      l.leased as "leasedLanes", l.waiting as "waitingLanes", l.suspect as "suspectLanes",
      (select count(*)::int from kernel_endpoint_circuit) as "openCircuits"
    from (
      select count(*) filter (where status in ('PENDING', 'FAILED'))::int as open,
        count(*) filter (where lease_until is not null or leased_by is not null)::int as leased,
        count(*) filter (where is_suspect)::int as suspect
      from kernel_webhook_delivery
    ) d, (
      select count(*) filter (where lease_until is not null or leased_by is not null)::int as leased,
        count(*) filter (where ready_at is not null or blocked_by is not null)::int as waiting,
        count(*) filter (where is_suspect)::int as suspect
      from kernel_lane
    ) l
  `);
  return remains!;
}
