import { sql, type Kysely } from 'kysely';
import { ENTRY_TEXT } from './entry-text.sql.js';
import type { SealedEntries } from './ledger-seal.js';

/** Ids and hashes of the entries recorded from `fromTime` until before `toTime`, in order. */
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
