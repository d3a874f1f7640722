import { sql, type Kysely } from 'kysely';
import type { Gap } from '../inbox.errors.js';

/** The gaps that are still open, oldest first. */
export async function findGaps(db: Kysely<unknown>, inbox: string, limit: number): Promise<Gap[]> {
  const { rows } = await sql<{ tenantId: string; streamKey: string; after: string; upTo: string }>`
    select g.tenant_id as "tenantId", g.stream_key as "streamKey", before.sequence as "after",
      g.previous_sequence as "upTo"
    from processed_event g
    cross join lateral (
      select p.sequence from processed_event p
      where p.inbox = g.inbox and p.tenant_id = g.tenant_id and p.stream_key = g.stream_key
        and p.sequence <= g.previous_sequence
      order by p.sequence desc
      limit 1
    ) before
    where g.inbox = ${inbox} and g.is_gap and before.sequence < g.previous_sequence
    order by g.processed_at
    limit ${limit}
  `.execute(db);
  return rows.map((row) => ({ ...row, after: Number(row.after), upTo: Number(row.upTo) }));
}
