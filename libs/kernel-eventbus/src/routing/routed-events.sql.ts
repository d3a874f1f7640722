import { KERNEL_ACTOR } from '@kernel/ledger';
import { columnsOf, part, type Statement, prepared } from '@kernel/runtime';
import {
  INSERT_DELIVERIES,
  insertedValues,
  type InsertedDelivery,
  type InsertedParameter,
  type NewDelivery,
} from '../deliveries/new-deliveries.sql.js';
import type { Lease } from '../deliveries/lease-columns.sql.js';

/** An event that becomes PUBLISHED. */
export interface MarkedEvent {
  eventId: string;
  /** Of the ledger entry about the publication. */
  entryId: string;
  deliveryCount: number;
}

type MarkedParameter = 'routedEventId' | 'lowestId' | 'highestId' | 'actor' | 'entryId' | 'deliveryCount';

/** Two CTEs of a routing statement: mark the events as published, and write their ledger entries. */
const MARK_EVENTS = part<MarkedParameter>`
  published as (
    update kernel_outbox_event set status = 'PUBLISHED', published_at = clock_timestamp()
    where event_id = any(${'routedEventId'}::uuid[]) and event_id between ${'lowestId'}::uuid and ${'highestId'}::uuid
    returning event_id, tenant_id, type, trace_id, aggregate_type, aggregate_id, attributes
  ), noted as (
    insert into kernel_ledger_entry (
      entry_id, kind, actor, tenant_id, event_id, event_type, trace_id, aggregate_type, aggregate_id, attributes, detail
    )
    select r.entry_id, 'published', ${'actor'}::text, p.tenant_id, p.event_id, p.type, p.trace_id, p.aggregate_type,
      p.aggregate_id, p.attributes, jsonb_build_object('deliveries', r.delivery_count)
    from published p
    join unnest(
      ${'routedEventId'}::uuid[], ${'entryId'}::uuid[], ${'deliveryCount'}::int[]
    ) as r (event_id, entry_id, delivery_count) on r.event_id = p.event_id
  )
`;

function markedValues(events: readonly MarkedEvent[]): Record<MarkedParameter, string> {
  const { plain } = columnsOf(events);
  return {
    routedEventId: plain('eventId'),
    // With these bounds a cached plan can prune partitions.
    lowestId: events.reduce((lowest, { eventId }) => (eventId < lowest ? eventId : lowest), events[0]!.eventId),
    highestId: events.reduce((highest, { eventId }) => (eventId > highest ? eventId : highest), events[0]!.eventId),
    actor: KERNEL_ACTOR,
    entryId: plain('entryId'),
    deliveryCount: plain('deliveryCount'),
  };
}

export interface Routed {
  events: readonly MarkedEvent[];
  deliveries: readonly NewDelivery[];
}

/** Inserts deliveries, marks events as published and writes their ledger entries. */
export function writeRouted({ events, deliveries }: Routed, lease: Lease): Statement {
  return WRITE_ROUTED.bind({ ...insertedValues(deliveries, lease), ...markedValues(events) });
}

const WRITE_ROUTED = prepared<InsertedParameter | MarkedParameter, InsertedDelivery>`
  with inserted as (${INSERT_DELIVERIES}), ${MARK_EVENTS}
  select * from inserted
`;
