import { sql, type Kysely } from 'kysely';

/** The dispatchers that live endpoints ask for by name, each with one of these endpoints. */
export async function findDispatchersInUse(db: Kysely<unknown>): Promise<{ dispatcher: string; endpointId: string }[]> {
  const { rows } = await sql<{ dispatcher: string; endpointId: string }>`
    select distinct on (dispatcher) dispatcher, endpoint_id as "endpointId"
    from kernel_webhook_endpoint
    where dispatcher is not null and deleted_at is null
    order by dispatcher, endpoint_id
  `.execute(db);
  return rows;
}
