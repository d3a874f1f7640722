import { sql, type Kysely } from 'kysely';
import { timeText } from './entry-text.sql.js';

/**
 * The time before which `count` entries were recorded since `fromTime`, or fewer where several were recorded at that time. Reads
 * and sorts the whole range, in which there must be more than that.
 */
export async function findCut(db: Kysely<unknown>, fromTime: string, toTime: string, count: number): Promise<string> {
  const { rows } = await sql<{ cut: string }>`
    select ${timeText('recorded_at')} as cut from kernel_ledger_entry
    where recorded_at >= ${fromTime}::timestamptz and recorded_at < ${toTime}::timestamptz
    order by recorded_at offset ${count} limit 1
  `.execute(db);
  return rows[0]!.cut;
}
