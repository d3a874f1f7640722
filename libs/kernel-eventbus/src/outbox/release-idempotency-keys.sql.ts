import { sql, type Kysely } from 'kysely';
import { columnsOf } from '../runtime/array-literal.js';
import type { KeyedEvent } from './keyed-event.js';

/** Gives keys back that stand for these very events. */
export async function releaseIdempotencyKeys(db: Kysely<unknown>, events: readonly KeyedEvent[]): Promise<void> {
  const { plain, text } = columnsOf(events);
  await sql`
    delete from kernel_idempotency_key k
    using unnest(
      ${plain('tenantId')}::uuid[], ${text('key')}::text[], ${plain('eventId')}::uuid[]
    ) as released (tenant_id, key, event_id)
    where k.tenant_id = released.tenant_id and k.key = released.key and k.event_id = released.event_id
  `.execute(db);
}
