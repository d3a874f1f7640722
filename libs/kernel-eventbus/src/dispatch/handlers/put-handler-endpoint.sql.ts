import { sql, type Kysely } from 'kysely';
import { textArray } from '@kernel/runtime';
import { ALL_TENANTS } from '../../envelope/tenant-id.js';
import { HANDLER_DISPATCHER } from '../../endpoints/handler-names.js';
import type { RegisteredHandler } from './handler-registry.js';

/** Whether it is enabled is an operator's to say, so that stays as it is. All else is the application's, whatever a row says. */
export async function putHandlerEndpoint(db: Kysely<unknown>, handler: RegisteredHandler): Promise<void> {
  const url = `handler:${handler.name}`;
  await sql`
    insert into kernel_webhook_endpoint as p (
      endpoint_id, tenant_id, name, url, operator_url, subscribed_types, signing_secret_alias, is_external, ordering,
      on_dead_letter, dispatcher
    ) values (
      ${handler.endpointId}, ${ALL_TENANTS}, ${handler.name}, ${url}, ${url},
      ${textArray(handler.types)}::text[], 'none', false, ${handler.ordering ?? 'none'},
      ${handler.onDeadLetter ?? 'block'}, ${HANDLER_DISPATCHER}
    )
    on conflict (endpoint_id) do update
    set tenant_id = excluded.tenant_id, name = excluded.name, url = excluded.url, operator_url = excluded.operator_url,
      subscribed_types = excluded.subscribed_types, subscriptions = excluded.subscriptions,
      signing_secret_alias = excluded.signing_secret_alias, is_external = excluded.is_external,
      ordering = excluded.ordering, on_dead_letter = excluded.on_dead_letter, dispatcher = excluded.dispatcher,
      headers = excluded.headers, deleted_at = null, updated_at = clock_timestamp()
    where (
      p.tenant_id, p.name, p.url, p.operator_url, p.subscribed_types, p.subscriptions, p.signing_secret_alias, p.is_external,
      p.ordering, p.on_dead_letter, p.dispatcher, p.headers, p.deleted_at
    ) is distinct from (
      excluded.tenant_id, excluded.name, excluded.url, excluded.operator_url, excluded.subscribed_types, excluded.subscriptions,
      excluded.signing_secret_alias, excluded.is_external, excluded.ordering, excluded.on_dead_letter,
      excluded.dispatcher, excluded.headers, null::timestamptz
    )
  `.execute(db);
}
