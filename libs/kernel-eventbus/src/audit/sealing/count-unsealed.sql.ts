import { sql, type Kysely } from 'kysely';
import { timeText } from './entry-text.sql.js';

export interface UnsealedTail {
  entries: number;
  /** When the first of them was recorded. */
  since: string | null;
}

export async function countUnsealed(db: Kysely<unknown>, fromTime: string): Promise<UnsealedTail> {
  const { rows } = await sql<UnsealedTail>`
    select entries, ${timeText('first')} as since from (
      select count(*)::int as entries, min(recorded_at) as first from kernel_ledger_entry
      where recorded_at >= ${fromTime}::timestamptz
    ) tail
  `.execute(db);
  return rows[0]!;
}
