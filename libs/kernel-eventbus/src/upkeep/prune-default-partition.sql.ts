import { sql, type Kysely } from 'kysely';

/** An event of the default partition, by when it was created; its id tells no time. */
export interface DefaultPartitionPlace {
  time: string;
  id: string;
}

export const DEFAULT_PARTITION_START: DefaultPartitionPlace = {
  time: '-infinity',
  id: '00000000-0000-0000-0000-000000000000',
};

/** See `kernel_prune_default_partition` in the migrations. */
export async function pruneDefaultPartition(
  trx: Kysely<unknown>,
  createdBeforeMs: number,
  { time, id }: DefaultPartitionPlace,
  limit: number,
): Promise<{ events: number; last: DefaultPartitionPlace | null }> {
  const { rows } = await sql<{ events: number; time: string | null; id: string | null }>`
    select pruned as events, last_time::text as time, last_id as id
    from kernel_prune_default_partition(
      to_timestamp(${createdBeforeMs}::float8 / 1000), ${time}::timestamptz, ${id}::uuid, ${limit}::int
    )
  `.execute(trx);
  const { events, ...last } = rows[0]!;
  return { events, last: last.time === null ? null : { time: last.time, id: last.id! } };
}
