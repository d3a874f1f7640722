import { sql, type Kysely } from 'kysely';
import { textArray } from '../runtime/array-literal.js';
import { ALL_TENANTS, HANDLER_DISPATCHER } from './handler-names.js';
import type { RegisteredHandler } from './handler-registry.js';

/** Whether it is enabled is an operator's to say, so that stays as it is. */
export async function putHandlerEndpoint(db: Kysely<unknown>, handler: RegisteredHandler): Promise<void> {
  await sql`
    insert into kernel_webhook_endpoint as p (
      endpoint_id, tenant_id, name, url, subscribed_types, signing_secret_alias, is_external, ordering, on_dead_letter,
      dispatcher
    ) values (
      ${handler.endpointId}, ${ALL_TENANTS}, ${handler.name}, ${`handler:${handler.name}`},
      ${textArray(handler.types)}::text[], 'none', false, ${handler.ordering ?? 'none'},
      ${handler.onDeadLetter ?? 'block'}, ${HANDLER_DISPATCHER}
    )
    on conflict (endpoint_id) do update
    set subscribed_types = excluded.subscribed_types, ordering = excluded.ordering,
      on_dead_letter = excluded.on_dead_letter, deleted_at = null, updated_at = clock_timestamp()
    where (p.subscribed_types, p.ordering, p.on_dead_letter, p.deleted_at)
      is distinct from (excluded.subscribed_types, excluded.ordering, excluded.on_dead_letter, null::timestamptz)
  `.execute(db);
}
