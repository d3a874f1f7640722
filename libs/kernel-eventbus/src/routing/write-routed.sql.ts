import {
  INSERT_DELIVERIES,
  insertedValues,
  type InsertedDelivery,
  type InsertedParameter,
  type NewDelivery,
} from '../deliveries/new-deliveries.sql.js';
import type { Lease } from '../deliveries/lease-columns.sql.js';
import { type Statement, prepared } from '@kernel/runtime';
import { MARK_EVENTS, markedValues, type MarkedEvent, type MarkedParameter } from './mark-events.sql.js';

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
