import { sql, type Kysely } from 'kysely';
import type { OperationScope } from '../operations/operation.js';
import { isInScope, type EventRetention } from './replayable.sql.js';

/** How many deliveries would be replayed, counted up to the limit. */
export async function countReplayable(
  db: Kysely<unknown>,
  scope: OperationScope,
  retention: EventRetention,
  limit: number,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count
    from (select from kernel_webhook_delivery d where ${isInScope(scope, retention)} limit ${limit}) counted
  `.execute(db);
  return rows[0]!.count;
}
