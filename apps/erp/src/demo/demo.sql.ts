import { sql, type Kysely } from 'kysely';

/** An arbitrary number that no other lock uses. */
const DEMO_LOCK = 310_311;

/** Serializes processes that start together; held until the transaction ends. */
export async function lockDemo(trx: Kysely<unknown>): Promise<void> {
  await sql`select pg_advisory_xact_lock(${DEMO_LOCK})`.execute(trx);
}

export interface DemoEndpoint {
  endpointId: string;
  tenantId: string;
  name: string;
  url: string;
  subscribedTypes: string[];
  signingSecretAlias: string;
}

/** Updates only the receiver's address of an existing endpoint. */
export async function upsertDemoEndpoint(trx: Kysely<unknown>, endpoint: DemoEndpoint): Promise<void> {
  await sql`
    insert into kernel_webhook_endpoint
      (endpoint_id, tenant_id, name, url, operator_url, subscribed_types, signing_secret_alias, is_enabled,
       is_external)
    values
      (${endpoint.endpointId}, ${endpoint.tenantId}, ${endpoint.name}, ${endpoint.url}, ${endpoint.url},
       ${endpoint.subscribedTypes}::text[], ${endpoint.signingSecretAlias}, true, true)
    on conflict (endpoint_id) do update
      set url = excluded.url, operator_url = excluded.operator_url, updated_at = clock_timestamp()
      where (kernel_webhook_endpoint.url, kernel_webhook_endpoint.operator_url)
        is distinct from (excluded.url, excluded.operator_url)
  `.execute(trx);
}
