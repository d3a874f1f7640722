import { sql, type Kysely } from 'kysely';
import { timeText } from './entry-text.sql.js';
import type { LedgerHead, LedgerSeal } from './ledger-seal.js';

const SEAL_TURN = 310_122;
/** Of `ENTRY_TEXT`: 1 had no conclusions. The column has no default: sealers of an earlier version are refused. */
const SEAL_FORMAT = 2;

/**
 * Lets one process at a time seal, until the transaction ends. Sequential scans are off: new entries are at the end of
 * a growing table that the planner's statistics never cover, so it might choose to read all of it.
 */
export async function takeSealTurn(trx: Kysely<unknown>): Promise<boolean> {
  const { rows } = await sql<{ mine: boolean }>`
    select pg_try_advisory_xact_lock(${SEAL_TURN}) as mine, set_config('enable_seqscan', 'off', true),
      set_config('jit', 'off', true)
  `.execute(trx);
  return rows[0]!.mine;
}

/** Inserts a seal and moves the head to it. */
export async function insertSeal(trx: Kysely<unknown>, seal: LedgerSeal, head: LedgerHead): Promise<void> {
  await sql`
    with inserted as (
      insert into kernel_ledger_seal (
        batch_number, from_time, to_time, entry_count, entry_ids, entry_hashes, previous_seal, seal, format
      )
      values (
        ${seal.batchNumber}, ${seal.fromTime}::timestamptz, ${seal.toTime}::timestamptz, ${seal.entryCount},
        ${seal.entryIds}, ${seal.entryHashes}, ${seal.previousSeal}, ${seal.seal}, ${SEAL_FORMAT}
      )
    )
    insert into kernel_ledger_head (batch_number, seal, signature)
    values (${head.batchNumber}, ${head.seal}, ${head.signature})
    on conflict (is_head) do update
    set batch_number = excluded.batch_number, seal = excluded.seal, signature = excluded.signature
  `.execute(trx);
}

export interface LastSeal {
  batchNumber: number;
  toTime: string;
  seal: Buffer;
}

/** The head and the last seal, from one snapshot. */
export async function readHead(db: Kysely<unknown>): Promise<{ head: LedgerHead | null; last: LastSeal | null }> {
  const { rows } = await sql<{ head: LedgerHead['batchNumber'] | null; last: number | null } & HeadRow>`
    select h.batch_number as head, h.seal as "headSeal", h.signature as "headSignature",
      s.batch_number as last, ${timeText('s.to_time')} as "lastToTime", s.seal as "lastSeal"
    from (select) always
    left join kernel_ledger_head h on true
    left join lateral (select * from kernel_ledger_seal order by batch_number desc limit 1) s on true
  `.execute(db);
  const { head, headSeal, headSignature, last, lastToTime, lastSeal } = rows[0]!;
  return {
    head: head === null ? null : { batchNumber: head, seal: headSeal, signature: headSignature },
    last: last === null ? null : { batchNumber: last, toTime: lastToTime, seal: lastSeal },
  };
}

interface HeadRow {
  headSeal: Buffer;
  headSignature: Buffer;
  lastToTime: string;
  lastSeal: Buffer;
}

/** The first seal after `afterNumber`. */
export async function readNextSeal(db: Kysely<unknown>, afterNumber: number): Promise<LedgerSeal | undefined> {
  const { rows } = await sql<LedgerSeal>`
    select batch_number as "batchNumber", ${timeText('from_time')} as "fromTime", ${timeText('to_time')} as "toTime",
      entry_count as "entryCount", entry_ids as "entryIds", entry_hashes as "entryHashes",
      previous_seal as "previousSeal", seal
    from kernel_ledger_seal where batch_number > ${afterNumber}
    order by batch_number limit 1
  `.execute(db);
  return rows[0];
}

/** The next seals after a number: at least one, at most `maxSeals`, and none after `maxEntries` is reached. */
export async function readNextSeals(
  db: Kysely<unknown>,
  afterNumber: number,
  { maxSeals, maxEntries }: { maxSeals: number; maxEntries: number },
): Promise<LedgerSeal[]> {
  const { rows } = await sql<LedgerSeal>`
    select batch_number as "batchNumber", ${timeText('from_time')} as "fromTime", ${timeText('to_time')} as "toTime",
      entry_count as "entryCount", entry_ids as "entryIds", entry_hashes as "entryHashes",
      previous_seal as "previousSeal", seal
    from (
      select *, sum(entry_count) over (order by batch_number) - entry_count as entries_before
      from (
        select * from kernel_ledger_seal where batch_number > ${afterNumber} order by batch_number limit ${maxSeals}
      ) next
    ) counted
    where entries_before = 0 or entries_before < ${maxEntries}
    order by batch_number
  `.execute(db);
  return rows;
}
