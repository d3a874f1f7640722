import { sql, type Kysely } from 'kysely';

export interface EndpointActivity {
  endpointId: string;
  /** Null, like the counts: nothing happened. */
  startsAtMs: number | null;
  delivered: number | null;
  failedAttempts: number | null;
}

export interface HealthQuery {
  tenantId?: string;
  stepSeconds: number;
  fromMs: number;
  endpoints: number;
}

/** Of the newest endpoints, each found by a range of the key. */
export async function readHealth(db: Kysely<unknown>, query: HealthQuery): Promise<EndpointActivity[]> {
  const ofTenant = query.tenantId === undefined ? sql`` : sql`and tenant_id = ${query.tenantId}::uuid`;
  const { rows } = await sql<EndpointActivity>`
    select p.endpoint_id as "endpointId", (extract(epoch from a.starts_at) * 1000)::float8 as "startsAtMs",
      a.delivered::float8 as delivered, a.failed_attempts::float8 as "failedAttempts"
    from (
      select tenant_id, endpoint_id from kernel_webhook_endpoint
      where deleted_at is null and dispatcher is distinct from 'handler' ${ofTenant}
      order by endpoint_id desc limit ${query.endpoints}
    ) p
    left join kernel_activity a on a.tenant_id = p.tenant_id and a.endpoint_id = p.endpoint_id
      and a.step_seconds = ${query.stepSeconds}::int and a.starts_at >= to_timestamp(${query.fromMs}::float8 / 1000)
    order by p.endpoint_id desc, a.starts_at
  `.execute(db);
  return rows;
}
