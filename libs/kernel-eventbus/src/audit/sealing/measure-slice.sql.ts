import { sql, type Kysely } from 'kysely';
import { timeText } from './entry-text.sql.js';

export interface Slice {
  /** `toTime`, or before it. */
  end: string;
  /** Entries in it, counted up to `most`. */
  count: number;
}

/** So much time of the ledger from `fromTime` on. Reads no more of it than that, or than `most` entries. */
export async function measureSlice(
  db: Kysely<unknown>,
  { fromTime, toTime, stepMicros, most }: { fromTime: string; toTime: string; stepMicros: number; most: number },
): Promise<Slice> {
  const [from, to] = [sql`${fromTime}::timestamptz`, sql`${toTime}::timestamptz`];
  const end = sql`least(${from} + ${stepMicros}::float8 * interval '1 microsecond', ${to})`;
  const { rows } = await sql<Slice>`
    select ${timeText('slice_end')} as "end", count from (
      select ${end} as slice_end, (
        select count(*)::int from (
          select from kernel_ledger_entry where recorded_at >= ${from} and recorded_at < ${end} limit ${most}
        ) entry
      ) as count
    ) slice
  `.execute(db);
  return rows[0]!;
}
