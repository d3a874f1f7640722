import { sql, type Kysely } from 'kysely';
import { timeText } from './entry-text.sql.js';

/** The database's time, so many milliseconds ago. */
export async function readClock(db: Kysely<unknown>, lagMs: number): Promise<string> {
  const { rows } = await sql<{ time: string }>`
    select ${timeText('now.time')} as time
    from (select clock_timestamp() - ${lagMs}::int * interval '1 millisecond' as time) now
  `.execute(db);
  return rows[0]!.time;
}
