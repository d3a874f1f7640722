import type { FilterQuery } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { isOfTrace, type LedgerKind, type LedgerRow } from '@kernel/ledger';
import { WebhookDeliveryEntity } from '@kernel/eventbus';
import { lowestIdAt, timeMsOf } from '@kernel/eventbus/engine';

type Condition = FilterQuery<LedgerRow>;

export interface LedgerFilter {
  eventId?: string;
  deliveryId?: string;
  traceId?: string;
  kind?: LedgerKind;
  until?: string;
}

/** The ledger is indexed by event: entries of a delivery or a trace are found through their events. */
export async function ledgerConditions(
  em: EntityManager,
  { eventId, deliveryId, traceId, kind, until }: LedgerFilter,
): Promise<Condition[]> {
  return [
    ...(kind ? [ofKind(kind)] : []),
    ...(deliveryId && !eventId ? [await ofDelivery(em, deliveryId)] : []),
    ...(traceId && !eventId ? [ofTrace(traceId)] : []),
    ...(until ? [olderThan(until)] : []),
  ];
}

/**
 * Conclusions are on the entries of attempts; those without an attempt, and all of an earlier version, are entries of
 * their own. Each side of the `or` implies the condition of the tenants' index.
 */
function ofKind(kind: LedgerKind): Condition {
  return kind === 'delivered' || kind === 'dead-lettered' ? { $or: [{ kind }, { conclusion: kind }] } : { kind };
}

/** Allowed clock difference between machines. */
const SLACK_MS = 3_600_000;

/** For a pruned delivery only the creation time is known, from its id. Its entries are not much older. */
async function ofDelivery(em: EntityManager, deliveryId: string): Promise<Condition> {
  const delivery = await em.findOne(WebhookDeliveryEntity, { deliveryId }, { fields: ['eventId'] });
  return delivery
    ? { eventId: delivery.eventId }
    : { entryId: { $gte: lowestIdAt(Math.max(0, timeMsOf(deliveryId) - SLACK_MS)) } };
}

/** Ids are ordered by time, so this bound skips newer entries. */
function olderThan(until: string): Condition {
  return { entryId: { $lt: lowestIdAt(Math.max(0, Date.parse(until) + SLACK_MS)) } };
}

function ofTrace(traceId: string): Condition {
  const isIndexed: Condition = { kind: { $nin: ['attempt', 'delivered'] } };
  return { $or: [isIndexed, isOfTrace(traceId)] };
}
