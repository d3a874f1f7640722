import { sql, type Kysely } from 'kysely';
import type { OperationState } from './operation.js';

export interface EndedOperation {
  state: OperationState;
  total: number;
  done: number;
  failed: number;
}

export interface Ending {
  state: 'completed' | 'cancelled' | 'failed';
  /** What the last batch did. */
  done?: number;
  error?: string;
}

/**
 * Undefined when it has ended already. What was counted and has not been done when all of it was looked at had changed
 * meanwhile: it counts as failed.
 */
export async function endOperation(
  trx: Kysely<unknown>,
  operationId: string,
  { state, done = 0, error }: Ending,
): Promise<EndedOperation | undefined> {
  const { rows } = await sql<EndedOperation>`
    update kernel_operation
    set state = ${state}::text, done = done + ${done}::int, total = greatest(total, done + ${done}::int),
      failed = case when ${state}::text = 'cancelled' then 0 else greatest(total - done - ${done}::int, 0) end,
      last_error = coalesce(${error ?? null}::text, last_error),
      started_at = coalesce(started_at, clock_timestamp()), finished_at = clock_timestamp()
    where operation_id = ${operationId} and state in ('pending', 'running')
    returning state, total, done, failed
  `.execute(trx);
  return rows[0];
}
