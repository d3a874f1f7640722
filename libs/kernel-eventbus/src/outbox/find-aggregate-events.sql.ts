import { sql, type Kysely } from 'kysely';

export interface AggregatePage {
  tenantId: string;
  aggregateId: string;
  aggregateType: string | undefined;
  /** The event where the page before ended. */
  after: string | undefined;
  limit: number;
}

const PLACE = sql`created_at, coalesce(stream_sequence, 0), event_id`;

/** The ids of an aggregate's events, in the order in which they were created; of a stream, in the order of its numbers. */
export async function findAggregateEvents(db: Kysely<unknown>, page: AggregatePage): Promise<string[]> {
  const { tenantId, aggregateId, aggregateType = null, after = null, limit } = page;
  const { rows } = await sql<{ eventId: string }>`
    select event_id as "eventId"
    from kernel_outbox_event
    where tenant_id = ${tenantId}::uuid and aggregate_id = ${aggregateId}::text
      and (${aggregateType}::text is null or aggregate_type = ${aggregateType}::text)
      and (${after}::uuid is null or (${PLACE}) > (
        select ${PLACE} from kernel_outbox_event where event_id = ${after}::uuid
      ))
    order by ${PLACE}
    limit ${limit}
  `.execute(db);
  return rows.map(({ eventId }) => eventId);
}
