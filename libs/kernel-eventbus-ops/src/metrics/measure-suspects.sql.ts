import { sql, type Kysely } from 'kysely';
import { isOpen, isSuspectDelivery, isSuspectLane } from '@kernel/eventbus/engine';
import { COUNT_CAP } from './capped-count.js';
import type { Waiting } from './measure-pending-events.sql.js';

/**
 * Suspects, and deliveries behind one in its lane. They are few: at most the number that crashed workers had in flight.
 */
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
        where d.lane_id = l.lane_id and ${isOpen('d')}
      ) one
      where ${isSuspectLane('l')} and l.ready_at <= now()
      limit ${COUNT_CAP + 1}
    ) seen
  `.execute(db);
  return rows[0]!;
}
