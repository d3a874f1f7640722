import { sql, type Kysely } from 'kysely';
import { lowestIdAt, partitionName, type PartitionRange } from './partition-range.js';

export interface MakeResult {
  /** `busy`: another process has its turn. `crowded`: too many rows of the range lie in the default partition. */
  outcome: 'made' | 'exists' | 'busy' | 'crowded';
  /** Rows that lay in the default partition. */
  moved: number;
}

/** Rows that may be moved while publishers wait: ten thousand took a second on a busy machine. */
const MOST_MOVED = 5_000;

/** See `kernel_make_outbox_partition` in the migrations. Fails with 55P03 when it would have to wait for its locks. */
export async function makePartition(
  db: Kysely<unknown>,
  range: PartitionRange,
  { locksReaders }: { locksReaders: boolean },
): Promise<MakeResult> {
  const { rows } = await sql<MakeResult>`
    select outcome, moved::int as moved
    from kernel_make_outbox_partition(
      ${partitionName(range)}, ${lowestIdAt(range.fromMs)}::uuid, ${lowestIdAt(range.toMs)}::uuid, ${MOST_MOVED}::int,
      ${locksReaders}::boolean
    )
  `.execute(db);
  return rows[0]!;
}
