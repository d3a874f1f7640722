import { sql, type Kysely } from 'kysely';
import { timeText } from './entry-text.sql.js';

/**
 * The time before which at most `limit` entries were recorded since `fromTime`; `toTime` when there are no more. Entries of
 * the same microsecond stay together, however many they are.
 */
export async function findBatchEnd(
  db: Kysely<unknown>,
  fromTime: string,
  toTime: string,
  limit: number,
): Promise<string> {
  const inRange = sql`
    select recorded_at from kernel_ledger_entry
    where recorded_at >= ${fromTime}::timestamptz and recorded_at < ${toTime}::timestamptz
    order by recorded_at
  `;
  const { rows } = await sql<{ end: string }>`
    select ${timeText('end_time')} as "end" from (
      select coalesce(greatest(cut, first + interval '1 microsecond'), ${toTime}::timestamptz) as end_time
      from (select (${inRange} offset ${limit} limit 1) as cut) found_cut
      left join lateral (${inRange} limit 1) found_first (first) on cut is not null
    ) found
  `.execute(db);
  return rows[0]!.end;
}
