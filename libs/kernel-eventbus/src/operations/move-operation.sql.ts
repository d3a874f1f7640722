import { sql, type Kysely } from 'kysely';
import type { Cursor } from './operation.js';

/**
 * Notes a batch and where the next one begins, after a pause. In the transaction of the batch; false when the operation has ended
 * meanwhile, so that the batch must not be committed.
 */
export async function moveOperation(
  trx: Kysely<unknown>,
  operationId: string,
  { done, next }: { done: number; next: Cursor },
  pauseMs: number,
): Promise<boolean> {
  const { rows } = await sql`
    update kernel_operation
    set state = 'running', done = done + ${done}::int, total = greatest(total, done + ${done}::int), faults = 0,
      cursor_at = ${next.at}::timestamptz, cursor_id = ${next.id}::uuid,
      started_at = coalesce(started_at, clock_timestamp()),
      next_batch_at = clock_timestamp() + ${pauseMs}::int * interval '1 millisecond'
    where operation_id = ${operationId} and state in ('pending', 'running')
    returning operation_id
  `.execute(trx);
  return rows.length === 1;
}
