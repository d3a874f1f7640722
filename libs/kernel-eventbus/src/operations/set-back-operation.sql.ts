import { sql, type Kysely } from 'kysely';

/** After a batch that failed and was rolled back. Returns how many failed in a row. */
export async function setBackOperation(
  db: Kysely<unknown>,
  operationId: string,
  error: string,
  pauseMs: number,
): Promise<number> {
  const { rows } = await sql<{ faults: number }>`
    update kernel_operation
    set faults = faults + 1, last_error = ${error},
      next_batch_at = clock_timestamp() + ${pauseMs}::int * interval '1 millisecond'
    where operation_id = ${operationId} and state in ('pending', 'running')
    returning faults
  `.execute(db);
  return rows[0]?.faults ?? 0;
}
