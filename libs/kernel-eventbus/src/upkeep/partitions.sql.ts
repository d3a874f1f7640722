import { sql, type Kysely } from 'kysely';
import { type LedgerEntry, LEDGER_COLUMNS, ledgerRows } from '@kernel/ledger';
import {
  lowestIdAt,
  partitionName,
  timeMsOf,
  type Partition,
  type PartitionRange,
} from '../envelope/partition-range.js';

/** The SQL functions for partitions use the same lock. */
const UPKEEP_TURN = 310_120;

/**
 * Lets one process at a time do upkeep, until the transaction ends. A session-level lock would be lost or never
 * released behind a transaction pooler.
 */
export async function takeTurn(trx: Kysely<unknown>): Promise<boolean> {
  const { rows } = await sql<{ mine: boolean }>`select pg_try_advisory_xact_lock(${UPKEEP_TURN}) as mine`.execute(trx);
  return rows[0]!.mine;
}

const LAST_MS = 2 ** 48;

/** The outbox's partitions without the default one, oldest first, and the database's time. */
export async function listPartitions(db: Kysely<unknown>): Promise<{ nowMs: number; partitions: Partition[] }> {
  const { rows } = await sql<{ nowMs: number; name: string | null; bounds: string | null }>`
    select floor(extract(epoch from clock_timestamp()) * 1000)::float8 as "nowMs", c.relname as name,
      pg_get_expr(c.relpartbound, c.oid) as bounds
    from (select) as always
    left join (pg_inherits i join pg_class c on c.oid = i.inhrelid)
      on i.inhparent = 'kernel_outbox_event'::regclass and pg_get_expr(c.relpartbound, c.oid) <> 'DEFAULT'
  `.execute(db);
  // A partition that is being dropped may still have a name but no bounds.
  return {
    nowMs: rows[0]!.nowMs,
    partitions: rows
      .flatMap(({ name, bounds }) => (name && bounds ? { name, ...parseBounds(bounds) } : []))
      .sort((a, b) => a.fromMs - b.fromMs),
  };
}

/** E.g. `FOR VALUES FROM ('019a…') TO ('019b…')`; a manually created partition may be unbounded. */
function parseBounds(bounds: string) {
  const [from, to] = [...bounds.matchAll(/\('?([^')]+)'?\)/g)].map(([, bound]) => bound!);
  return {
    fromMs: from === 'MINVALUE' ? 0 : timeMsOf(from!),
    toMs: to === 'MAXVALUE' ? LAST_MS : timeMsOf(to!),
  };
}

export interface PartitionSize {
  name: string;
  isDefault: boolean;
  /** PostgreSQL's last estimate; null before the first. */
  estimatedEvents: number | null;
  bytes: string;
}

/** Catalog data of the outbox's partitions, including the default one. Reads no partition. */
export async function describePartitions(db: Kysely<unknown>): Promise<PartitionSize[]> {
  const { rows } = await sql<PartitionSize>`
    select c.relname as name, pg_get_expr(c.relpartbound, c.oid) = 'DEFAULT' as "isDefault",
      nullif(greatest(c.reltuples, -1), -1)::float8 as "estimatedEvents", pg_total_relation_size(c.oid)::text as bytes
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'kernel_outbox_event'::regclass
  `.execute(db);
  return rows;
}

export interface MakeResult {
  /** `busy`: another process holds the upkeep lock. `crowded`: the default partition has too many rows of the range. */
  outcome: 'made' | 'exists' | 'busy' | 'crowded';
  /** Rows moved from the default partition. */
  moved: number;
}

/** Maximum number of rows to move while publishers wait: 10,000 took a second on a busy machine. */
const MAX_MOVED = 5_000;

/** See `kernel_make_outbox_partition` in the migrations. Fails with 55P03 after its lock timeout. */
export async function makePartition(
  db: Kysely<unknown>,
  range: PartitionRange,
  { locksReaders }: { locksReaders: boolean },
): Promise<MakeResult> {
  const { rows } = await sql<MakeResult>`
    select outcome, moved::int as moved
    from kernel_make_outbox_partition(
      ${partitionName(range)}, ${lowestIdAt(range.fromMs)}::uuid, ${lowestIdAt(range.toMs)}::uuid, ${MAX_MOVED}::int,
      ${locksReaders}::boolean
    )
  `.execute(db);
  return rows[0]!;
}

export interface PartitionContent {
  events: number;
  /** If not zero, nothing is retained and the partition is kept. */
  pending: number;
  /** Envelopes of this partition that are kept beyond it. */
  retained: number;
}

const ENVELOPE_COLUMNS = sql.raw(`
  event_id, tenant_id, stream_key, stream_sequence, type, occurred_at, trace_id, actor_id, payload_jsonb, payload_hash,
  aggregate_type, aggregate_id, attributes, created_at, published_at, trace_parent, trace_state
`);

/**
 * Copies the envelopes of deliveries that may still be sent: waiting, parked, behind a blocked head, dead-lettered. A
 * single statement checks for pending events and reads deliveries in one snapshot: an event routed after it is pending
 * in it.
 */
export async function retainEnvelopes(db: Kysely<unknown>, range: PartitionRange): Promise<PartitionContent> {
  const [from, to] = [lowestIdAt(range.fromMs), lowestIdAt(range.toMs)];
  const { rows } = await sql<PartitionContent>`
    with content as (
      select count(*)::int as events, count(*) filter (where status = 'PENDING')::int as pending
      from kernel_outbox_event where event_id >= ${from}::uuid and event_id < ${to}::uuid
    ), needed as (
      select distinct event_id from kernel_webhook_delivery
      where event_id >= ${from}::uuid and event_id < ${to}::uuid and status <> 'DELIVERED'
    ), retained as (
      insert into kernel_retained_event (${ENVELOPE_COLUMNS})
      select ${ENVELOPE_COLUMNS} from kernel_outbox_event
      where event_id >= ${from}::uuid and event_id < ${to}::uuid
        and event_id in (select event_id from needed) and (select pending from content) = 0
      on conflict (event_id) do nothing
      returning event_id
    )
    select events, pending, (
      (select count(*) from retained)
      + (select count(*) from kernel_retained_event where event_id >= ${from}::uuid and event_id < ${to}::uuid)
    )::int as retained
    from content
  `.execute(db);
  return rows[0]!;
}

const UNDEFINED_TABLE = '42P01';

/** `busy`: another process holds the upkeep lock. `needed`: the partition has a pending or recent event. */
export type DropOutcome = 'dropped' | 'absent' | 'busy' | 'needed';

/**
 * See `kernel_drop_outbox_partition` in the migrations. Drop and ledger entry are one statement, so that the lock on
 * the outbox never waits for this process. Fails with 55P03 after its lock timeout.
 */
export async function dropPartition(
  db: Kysely<unknown>,
  name: string,
  createdBeforeMs: number,
  entry: LedgerEntry,
): Promise<DropOutcome> {
  const { rows } = await sql<{ outcome: DropOutcome }>`
    with tried as materialized (
      select kernel_drop_outbox_partition(${name}, to_timestamp(${createdBeforeMs}::float8 / 1000)) as outcome
    ), noted as (
      insert into kernel_ledger_entry (${LEDGER_COLUMNS})
      select l.* from ${ledgerRows([entry])} cross join tried where tried.outcome = 'dropped'
    )
    select outcome from tried
  `
    .execute(db)
    .catch(busyIfVanished);
  return rows[0]!.outcome;
}

/** Another process dropped the partition while the function ran; the next call returns `absent`. */
function busyIfVanished(error: unknown): { rows: { outcome: DropOutcome }[] } {
  if ((error as { code?: string }).code === UNDEFINED_TABLE) {
    return { rows: [{ outcome: 'busy' }] };
  }
  throw error;
}

/** Position by creation time: in the default partition, ids need not contain a time. */
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
