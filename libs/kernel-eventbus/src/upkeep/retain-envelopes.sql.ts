import { sql, type Kysely } from 'kysely';
import { lowestIdAt, type PartitionRange } from './partition-range.js';

export interface PartitionContent {
  events: number;
  /** While there are any, nothing is retained and the partition stays. */
  pending: number;
  /** Envelopes of this partition that will outlive it. */
  retained: number;
}

const ENVELOPE_COLUMNS = sql.raw(`
  event_id, tenant_id, stream_key, stream_sequence, type, occurred_at, trace_id, actor_id, payload_jsonb, payload_hash,
  aggregate_type, aggregate_id, attributes, created_at, published_at, trace_parent
`);

/**
 * Copies the envelopes of deliveries that may still be sent: waiting, parked, behind a blocked head, dead-lettered. One
 * statement, so that the look for pending events and the deliveries come from one snapshot: what is routed after it was
 * pending in it.
 */
export async function retainEnvelopes(db: Kysely<unknown>, range: PartitionRange): Promise<PartitionContent> {
  const [from, to] = [lowestIdAt(range.fromMs), lowestIdAt(range.toMs)];
  const { rows } = await sql<PartitionContent>`
    with content as (
      select count(*)::int as events, count(*) filter (where status = 'PENDING')::int as pending
      from kernel_outbox_event where event_id >= ${from}::uuid and event_id < ${to}::uuid
    ), needed as (
      select distinct event_id from kernel_webhook_delivery
      where event_id >= ${from}::uuid and event_id < ${to}::uuid and status <> 'DELIVERED'
    ), retained as (
      insert into kernel_retained_event (${ENVELOPE_COLUMNS})
      select ${ENVELOPE_COLUMNS} from kernel_outbox_event
      where event_id >= ${from}::uuid and event_id < ${to}::uuid
        and event_id in (select event_id from needed) and (select pending from content) = 0
      on conflict (event_id) do nothing
      returning event_id
    )
    select events, pending, (
      (select count(*) from retained)
      + (select count(*) from kernel_retained_event where event_id >= ${from}::uuid and event_id < ${to}::uuid)
    )::int as retained
    from content
  `.execute(db);
  return rows[0]!;
}
