import { sql, type Kysely } from 'kysely';
import { HANDLER_DISPATCHER } from '../handlers/handler-names.js';

/** Every handler there ever was: what it has processed is kept under its name. */
export async function findHandlerNames(db: Kysely<unknown>): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from kernel_webhook_endpoint where dispatcher = ${HANDLER_DISPATCHER} order by name
  `.execute(db);
  return rows.map(({ name }) => name);
}
