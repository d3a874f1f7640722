import { sql, type Kysely } from 'kysely';

export interface Moment {
  /** The database's time, to the microsecond. */
  now: string;
  /** Whether `since` lies before what is kept. */
  isPast: boolean;
}

export async function readMoment(
  db: Kysely<unknown>,
  since: string | undefined,
  publishedDays: number,
): Promise<Moment> {
  const { rows } = await sql<Moment>`
    select clock_timestamp()::text as now,
      coalesce(${since ?? null}::timestamptz < clock_timestamp() - ${publishedDays}::int * interval '1 day', false) as "isPast"
  `.execute(db);
  return rows[0]!;
}
