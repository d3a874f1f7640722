import { sql, type Kysely } from 'kysely';
import { timeText } from './entry-text.sql.js';
import type { LedgerHead } from './ledger-seal.js';

export interface LastSeal {
  batchNumber: number;
  toTime: string;
  seal: Buffer;
}

/** The head, and the last seal there is, of one moment. */
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
