import { sql, type Kysely } from 'kysely';

export interface PartitionSize {
  name: string;
  isDefault: boolean;
  /** As PostgreSQL last estimated it; null before it ever did. */
  estimatedEvents: number | null;
  bytes: string;
}

/** What the catalog knows of the outbox's partitions, the default one included; no partition is read for it. */
export async function describePartitions(db: Kysely<unknown>): Promise<PartitionSize[]> {
  const { rows } = await sql<PartitionSize>`
    select c.relname as name, pg_get_expr(c.relpartbound, c.oid) = 'DEFAULT' as "isDefault",
      nullif(greatest(c.reltuples, -1), -1)::float8 as "estimatedEvents", pg_total_relation_size(c.oid)::text as bytes
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'kernel_outbox_event'::regclass
  `.execute(db);
  return rows;
}
