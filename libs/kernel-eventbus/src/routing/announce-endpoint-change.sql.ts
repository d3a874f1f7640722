import { sql, type Kysely } from 'kysely';

export const ENDPOINT_CHANGES_CHANNEL = 'kernel_endpoint';

/** Workers of all processes hear of it with the commit: what they hold for the endpoint says how it was before. */
export async function announceEndpointChange(trx: Kysely<unknown>, endpointId: string): Promise<void> {
  await sql`select pg_notify(${ENDPOINT_CHANGES_CHANNEL}, ${endpointId})`.execute(trx);
}
