import { sql, type Kysely } from 'kysely';
import { ENTRY_TEXT, timeText } from './entry-text.sql.js';
import type { SealedEntries } from './ledger-seal.js';

/** The database's time minus `lagMs`. */
export async function readClock(db: Kysely<unknown>, lagMs: number): Promise<string> {
  const { rows } = await sql<{ time: string }>`
    select ${timeText('now.time')} as time
    from (select clock_timestamp() - ${lagMs}::int * interval '1 millisecond' as time) now
  `.execute(db);
  return rows[0]!.time;
}

/** Time of the oldest entry from `fromTime` to before `toTime`, except `-infinity`. Reads the whole range. */
export async function findFirstTime(
  db: Kysely<unknown>,
  fromTime: string,
  toTime: string,
): Promise<string | undefined> {
  const { rows } = await sql<{ first: string | null }>`
    select ${timeText('first')} as first from (
      select min(recorded_at) as first from kernel_ledger_entry
      where recorded_at >= ${fromTime}::timestamptz and recorded_at > '-infinity' and recorded_at < ${toTime}::timestamptz
    ) found
  `.execute(db);
  return rows[0]!.first ?? undefined;
}

/**
 * Open transactions that have written or are about to write to the ledger. Every insert holds this lock from before it
 * reads the clock until its transaction ends.
 */
export async function findLedgerWriters(db: Kysely<unknown>): Promise<Set<string>> {
  const { rows } = await sql<{ writer: string }>`
    select virtualtransaction as writer from pg_locks
    where locktype = 'relation' and relation = 'kernel_ledger_entry'::regclass and mode = 'RowExclusiveLock' and granted
      and database = (select oid from pg_database where datname = current_database())
  `.execute(db);
  return new Set(rows.map(({ writer }) => writer));
}

/**
 * Time of the entry at offset `count` since `fromTime`; fewer entries precede it if several share that time. Reads and
 * sorts the whole range, which must hold more than `count` entries.
 */
export async function findCut(db: Kysely<unknown>, fromTime: string, toTime: string, count: number): Promise<string> {
  const { rows } = await sql<{ cut: string }>`
    select ${timeText('recorded_at')} as cut from (
      select recorded_at from kernel_ledger_entry
      where recorded_at >= ${fromTime}::timestamptz and recorded_at < ${toTime}::timestamptz
      order by recorded_at offset ${count} limit 1
    ) entry
  `.execute(db);
  return rows[0]!.cut;
}

export interface UnsealedTail {
  entries: number;
  /** Time of the first unsealed entry. */
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

export interface Slice {
  /** `toTime` at most. */
  end: string;
  /** Number of entries, counted up to `most`. */
  count: number;
}

/** Counts the entries in a slice of `stepMicros` from `fromTime`. Reads at most `most` entries. */
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

/** Ids and hashes of the entries recorded from `fromTime` to before `toTime`, in order. */
export async function hashEntries(db: Kysely<unknown>, fromTime: string, toTime: string): Promise<SealedEntries> {
  const { rows } = await sql<SealedEntries>`
    select count(*)::int as "entryCount",
      coalesce(string_agg(uuid_send(entry_id), ''::bytea order by recorded_at, entry_id), ''::bytea) as "entryIds",
      coalesce(string_agg(hash, ''::bytea order by recorded_at, entry_id), ''::bytea) as "entryHashes"
    from (
      select l.entry_id, l.recorded_at, sha256(convert_to(text.entry_text, 'UTF8')) as hash
      from kernel_ledger_entry l cross join ${ENTRY_TEXT}
      where l.recorded_at >= ${fromTime}::timestamptz and l.recorded_at < ${toTime}::timestamptz
    ) hashed
  `.execute(db);
  return rows[0]!;
}

export async function hasEntry(db: Kysely<unknown>, entryId: string): Promise<boolean> {
  const { rows } = await sql`select from kernel_ledger_entry where entry_id = ${entryId}::uuid`.execute(db);
  return rows.length > 0;
}

/** The first entry recorded at or after `fromTime`. */
export async function findFirstEntry(db: Kysely<unknown>, fromTime: string): Promise<string | null> {
  const { rows } = await sql<{ entry_id: string }>`
    select entry_id from kernel_ledger_entry where recorded_at >= ${fromTime}::timestamptz
    order by recorded_at, entry_id limit 1
  `.execute(db);
  return rows[0]?.entry_id ?? null;
}

/** Entries recorded from `fromTime` to before `toTime`, in order, as the text whose hash is sealed. */
export async function readEntryTexts(db: Kysely<unknown>, fromTime: string, toTime: string): Promise<string[]> {
  const { rows } = await sql<{ entry_text: string }>`
    select text.entry_text
    from kernel_ledger_entry l cross join ${ENTRY_TEXT}
    where l.recorded_at >= ${fromTime}::timestamptz and l.recorded_at < ${toTime}::timestamptz
    order by l.recorded_at, l.entry_id
  `.execute(db);
  return rows.map((row) => row.entry_text);
}
