import type { Claim } from './claim.js';
import type { FoundQueue, QueueKind } from './due-queues.sql.js';
import type { QueueKey, QueueRotation } from './queue-rotation.js';

/** Number of deliveries or lanes to claim from a queue. */
export interface QueueShare extends QueueKey {
  kind: QueueKind;
  count: number;
}

export interface SharedOut {
  shares: QueueShare[];
  /** True if a tenant has due work and gets no place this time. */
  isTenantLeftOut: boolean;
}

/** First attempts for one retry. */
const FIRST_ATTEMPTS_PER_RETRY = 3;

/**
 * Divides a claim: an equal part for each tenant with due work, in turn, and of that an equal part for each of its
 * endpoints, within their limits; one delivery for an endpoint with an open circuit whose probe is due.
 */
export function shareOut(found: readonly FoundQueue[], claim: Claim, rotation: QueueRotation): SharedOut {
  const room = new EndpointRoom(claim);
  const isExcepted = new Set(claim.exceptTenantIds);
  const usable = found
    .filter((queue) => queue.isDue && !isExcepted.has(queue.tenantId))
    .filter((queue) => !queue.isActive || (claim.canSend?.(queue) ?? true))
    .filter((queue) => room.of(queue) > 0)
    .sort((one, other) => rotation.compare(one, other));
  const byTenant = Map.groupBy(usable, ({ tenantId }) => tenantId);
  const perTenant = Math.min(claim.perTenant, Math.ceil(claim.limit / byTenant.size));
  const shares = [...byTenant.values()].map((queues) => shareOfTenant(queues, perTenant, room, rotation));
  return { shares: shares.flat(), isTenantLeftOut: shares.some(({ length }) => length === 0) };
}

function shareOfTenant(
  queues: readonly FoundQueue[],
  places: number,
  room: EndpointRoom,
  rotation: QueueRotation,
): QueueShare[] {
  const byEndpoint = [...Map.groupBy(queues, ({ endpointId }) => endpointId).values()];
  let left = places;
  return byEndpoint.flatMap((kinds, place) => {
    const part = Math.min(Math.ceil(left / (byEndpoint.length - place)), room.of(kinds[0]!));
    left -= part;
    room.take(kinds[0]!, part);
    return shareOfEndpoint(kinds, part, rotation);
  });
}

function shareOfEndpoint(kinds: readonly FoundQueue[], places: number, rotation: QueueRotation): QueueShare[] {
  const byKind = new Map(kinds.map((queue) => [queue.kind, queue]));
  const hasBoth = byKind.has('PENDING') && byKind.has('FAILED');
  return [...byKind.values()]
    .map(({ tenantId, endpointId, kind }) => ({
      tenantId,
      endpointId,
      kind,
      count: hasBoth ? partOfKind(kind, places, rotation) : places,
    }))
    .filter(({ count }) => count > 0);
}

function partOfKind(kind: QueueKind, places: number, rotation: QueueRotation): number {
  const retries = places === 1 ? Number(rotation.isRetriesTurn) : Math.ceil(places / (FIRST_ATTEMPTS_PER_RETRY + 1));
  return kind === 'FAILED' ? retries : places - retries;
}

/** Free places per endpoint in this claim. */
class EndpointRoom {
  readonly #taken: Map<string, number>;
  readonly #probed = new Set<string>();

  constructor(private readonly claim: Claim) {
    const { endpointIds, counts } = claim.held;
    this.#taken = new Map(endpointIds.map((endpointId, place) => [endpointId, counts[place]!]));
  }

  of({ endpointId, maxInFlight, isCircuitOpen, canProbe }: FoundQueue): number {
    const taken = this.#taken.get(endpointId) ?? 0;
    const free = (maxInFlight ?? this.claim.perEndpoint) * this.claim.prefetch - taken;
    if (!isCircuitOpen) {
      return Math.max(0, Math.min(free, this.claim.limit));
    }
    return canProbe && free > 0 && !this.#probed.has(endpointId) ? 1 : 0;
  }

  take({ endpointId, isCircuitOpen }: FoundQueue, count: number): void {
    this.#taken.set(endpointId, (this.#taken.get(endpointId) ?? 0) + count);
    if (isCircuitOpen && count > 0) {
      this.#probed.add(endpointId);
    }
  }
}
