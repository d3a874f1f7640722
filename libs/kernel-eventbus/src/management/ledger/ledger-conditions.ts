import type { FilterQuery } from '@mikro-orm/core';
import { isOfTrace, type LedgerKind, type LedgerRow } from '@kernel/ledger';
import { idBeyond, lowestIdSince } from '../../envelope/ids-at.js';
import { timeMsOf } from '../../envelope/partition-range.js';

type Condition = FilterQuery<LedgerRow>;

export interface LedgerFilter {
  tenantId?: string;
  eventId?: string;
  /** Without an event only for a pruned delivery: the ledger is indexed by event. */
  deliveryId?: string;
  endpointId?: string;
  traceId?: string;
  kind?: LedgerKind;
  since?: string;
  until?: string;
}

/** Conditions that let an index narrow the search, and the kind, which is on two columns. */
export function ledgerConditions(filter: LedgerFilter): Condition[] {
  const { eventId, traceId, kind } = filter;
  return [
    ...(kind ? [ofKind(kind)] : []),
    ...(traceId && !eventId ? [ofTrace(traceId)] : []),
    ...entryIdsWithin(filter),
  ];
}

/** Ids are ordered by time, so these bounds skip older and newer entries. */
export function entryIdsWithin({ eventId, deliveryId, since, until }: LedgerFilter): Condition[] {
  return [
    ...(deliveryId && !eventId ? [{ entryId: { $gte: lowestIdSince(createdAt(deliveryId)) } }] : []),
    ...(since ? [{ entryId: { $gte: lowestIdSince(since) } }] : []),
    ...(until ? [{ entryId: { $lt: idBeyond(until) } }] : []),
  ];
}

/**
 * Conclusions are on the entries of attempts; those without an attempt, and all of an earlier version, are entries of
 * their own. Each side of the `or` implies the condition of the tenants' index.
 */
function ofKind(kind: LedgerKind): Condition {
  return kind === 'delivered' || kind === 'dead-lettered' ? { $or: [{ kind }, { conclusion: kind }] } : { kind };
}

/** For a pruned delivery only the creation time is known, from its id. Its entries are not much older. */
function createdAt(deliveryId: string): string {
  return new Date(timeMsOf(deliveryId)).toISOString();
}

function ofTrace(traceId: string): Condition {
  const isIndexed: Condition = { kind: { $nin: ['attempt', 'delivered'] } };
  return { $or: [isIndexed, isOfTrace(traceId)] };
}
