import { sql, type Kysely } from 'kysely';
import { ENTRY_TEXT } from './entry-text.sql.js';

/** The entries recorded from `fromTime` until before `toTime`, in order, as the text whose hash is sealed. */
export async function readEntryTexts(db: Kysely<unknown>, fromTime: string, toTime: string): Promise<string[]> {
  const { rows } = await sql<{ entry_text: string }>`
    select text.entry_text
    from kernel_ledger_entry l cross join ${ENTRY_TEXT}
    where l.recorded_at >= ${fromTime}::timestamptz and l.recorded_at < ${toTime}::timestamptz
    order by l.recorded_at, l.entry_id
  `.execute(db);
  return rows.map((row) => row.entry_text);
}
