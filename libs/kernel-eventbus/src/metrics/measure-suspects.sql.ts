import { sql, type Kysely } from 'kysely';
import { isSuspectDelivery } from '../delivery/delivery-queues.sql.js';
import { isSuspectLane } from '../lanes/lane-queues.sql.js';
import { COUNT_CAP } from './capped-count.js';
import type { Waiting } from './measure-pending-events.sql.js';

/** Suspects, and what waits in a lane behind one. They are as many as workers had in flight when they crashed, so they are few. */
export async function measureSuspects(db: Kysely<unknown>): Promise<Waiting> {
  const { rows } = await sql<Waiting>`
    select count(*)::int as counted, 0::float8 as estimate,
      coalesce(extract(epoch from avg(greatest(now() - seen.next_attempt_at, interval '0'))), 0)::float8 as "averageSeconds"
    from (
      select d.next_attempt_at from kernel_webhook_delivery d
      where ${isSuspectDelivery('d')} and d.next_attempt_at <= now()
      union all
      select one.next_attempt_at
      from kernel_lane l
      cross join lateral (
        select d.next_attempt_at from kernel_webhook_delivery d
        where d.lane_id = l.lane_id and d.status in ('PENDING', 'FAILED')
      ) one
      where ${isSuspectLane('l')} and l.ready_at <= now()
      limit ${COUNT_CAP + 1}
    ) seen
  `.execute(db);
  return rows[0]!;
}
