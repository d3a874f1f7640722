import { sql, type Kysely } from 'kysely';
import { timeText } from './entry-text.sql.js';

/** When the first entry of all was recorded, if that was before `toTime`. Reads the whole ledger: only until the first seal. */
export async function findFirstTime(db: Kysely<unknown>, toTime: string): Promise<string | undefined> {
  const { rows } = await sql<{ first: string | null }>`
    select ${timeText('first')} as first from (
      select min(recorded_at) as first from kernel_ledger_entry where recorded_at < ${toTime}::timestamptz
    ) found
  `.execute(db);
  return rows[0]!.first ?? undefined;
}
