import { sql, type Kysely } from 'kysely';
import type { DeadLetterReason } from '../../delivery/judge-attempt.js';

const REASON: DeadLetterReason = 'endpoint_deleted';

/** The random bits of a version 4 with the time in front and the version set to 7 (PostgreSQL has uuidv7() from 18 on). */
const UUID_V7 = sql`
  encode(set_bit(set_bit(overlay(
    uuid_send(gen_random_uuid())
    placing substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3) from 1 for 6
  ), 52, 1), 53, 1), 'hex')::uuid
`;

/**
 * Ends whatever is open for an endpoint, with a ledger entry each, in one statement. The epoch goes up, so that an attempt
 * still in flight cannot change the outcome afterwards. What is being claimed or recorded at this very moment is passed
 * over, so that this cannot deadlock with it: the worker ends it when it is due again. Returns how many there were.
 */
export async function deadLetterOpenDeliveries(
  trx: Kysely<unknown>,
  endpointId: string,
  actor: string,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with open as (
      select delivery_id from kernel_webhook_delivery
      where endpoint_id = ${endpointId} and status in ('PENDING', 'FAILED')
      for update skip locked
    ), ended as (
      update kernel_webhook_delivery d
      set status = 'DLQ', dead_letter_reason = ${REASON}, settled_at = clock_timestamp(), next_attempt_at = null,
        is_parked = false, lease_until = null, leased_by = null, lease_epoch = d.lease_epoch + 1,
        updated_at = clock_timestamp()
      from open where d.delivery_id = open.delivery_id
      returning d.*
    ), noted as (
      insert into kernel_ledger_entry (
        entry_id, kind, tenant_id, event_id, event_type, delivery_id, endpoint_id, trace_id, actor, reason,
        aggregate_type, aggregate_id, attributes
      )
      select ${UUID_V7}, 'dead-lettered', d.tenant_id, d.event_id, d.event_type, d.delivery_id, d.endpoint_id,
        d.trace_id, ${actor}, ${REASON}, e.aggregate_type, e.aggregate_id, e.attributes
      from ended d left join kernel_outbox_event e on e.event_id = d.event_id
    )
    select count(*)::int as count from ended
  `.execute(trx);
  return rows[0]!.count;
}
