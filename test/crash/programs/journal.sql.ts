import { sql, type Kysely } from 'kysely';

/** The domain's own record of an event that it committed. */
export interface JournalRow {
  eventId: string;
  tenantId: string;
  streamKey: string;
  type: string;
  /** Counted by the domain under a lock of its own row: the commit order, gapless, independent of the kernel. */
  place: number;
}

interface StreamName {
  tenantId: string;
  streamKey: string;
}

/**
 * Locks the domain's rows, as an aggregate would, and increments their counters. Sorted, so two transactions cannot
 * deadlock.
 */
export async function takePlaces(trx: Kysely<unknown>, streams: readonly StreamName[]): Promise<number[]> {
  const { rows } = await sql<StreamName & { last: number }>`
    insert into crash_stream as s (tenant_id, stream_key, last_place)
    select tenant_id, stream_key, count(*)
    from unnest(
      ${streams.map(({ tenantId }) => tenantId)}::uuid[], ${streams.map(({ streamKey }) => streamKey)}::text[]
    ) as e (tenant_id, stream_key)
    group by 1, 2 order by 1, 2
    on conflict (tenant_id, stream_key) do update set last_place = s.last_place + excluded.last_place
    returning tenant_id as "tenantId", stream_key as "streamKey", last_place as last
  `.execute(trx);
  const nameOf = ({ tenantId, streamKey }: StreamName) => `${tenantId} ${streamKey}`;
  const next = new Map(rows.map((row) => [nameOf(row), row.last + 1]));
  for (const name of streams.map(nameOf)) {
    next.set(name, next.get(name)! - 1);
  }
  return streams.map(nameOf).map((name) => {
    const place = next.get(name)!;
    next.set(name, place + 1);
    return place;
  });
}

export async function writeJournal(trx: Kysely<unknown>, rows: readonly JournalRow[]): Promise<void> {
  await sql`
    insert into crash_journal (event_id, tenant_id, stream_key, type, place)
    select * from unnest(
      ${rows.map(({ eventId }) => eventId)}::uuid[], ${rows.map(({ tenantId }) => tenantId)}::uuid[],
      ${rows.map(({ streamKey }) => streamKey)}::text[], ${rows.map(({ type }) => type)}::text[],
      ${rows.map(({ place }) => place)}::int[]
    )
  `.execute(trx);
}

/** In a separate transaction: the one with the events is rolled back. */
export async function noteRolledBack(db: Kysely<unknown>, eventIds: readonly string[]): Promise<void> {
  await sql`insert into crash_rolled_back (event_id) select unnest(${eventIds}::uuid[])`.execute(db);
}

export const JOURNAL_TABLES = `
  create table crash_stream (tenant_id uuid, stream_key text, last_place int not null, primary key (tenant_id, stream_key));
  create table crash_journal (
    event_id uuid primary key, tenant_id uuid not null, stream_key text not null, type text not null, place int not null
  );
  create table crash_rolled_back (event_id uuid primary key);
`;
