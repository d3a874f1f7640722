import { Injectable } from '@nestjs/common';
import type { Kysely } from 'kysely';
import { EventRegistry } from '../envelope/event-registry.js';
import { EventBusConfig } from '../eventbus.config.js';
import { claimIdempotencyKeys, findKeyHolders, releaseIdempotencyKeys } from './idempotency-keys.sql.js';
import { requireRepeat, toKeyedEvent, type KeyedEvent } from './keyed-event.js';
import type { PreparedEvent } from './prepare-event.js';

export interface ClaimedKeys {
  /** The first event of each repeat; an event that is not a key of the map is new. */
  repeats: ReadonlyMap<PreparedEvent, KeyedEvent>;
  /** Releases the keys if their events are not published. */
  release: () => Promise<void>;
}

/**
 * KFM-5: one event per tenant and key. The caller's transaction writes the key's row inside `publish`. A second
 * transaction waits for the outcome of the first, and takes the key if the first rolls back.
 */
@Injectable()
export class IdempotencyKeys {
  constructor(
    private readonly registry: EventRegistry,
    private readonly config: EventBusConfig,
  ) {}

  /** @throws {IdempotencyConflictError} when a key belongs to a different event; then no key is claimed */
  async claim(db: Kysely<unknown>, events: readonly PreparedEvent[]): Promise<ClaimedKeys> {
    const firsts = new Map<string, KeyedEvent>();
    const asked = events
      .filter(({ idempotencyKey }) => idempotencyKey !== null)
      .map((event) => ({ event, keyed: toKeyedEvent(event, this.registry.find(event.type)) }));
    // Of repeats within one call, only the first claims the key.
    asked.forEach(({ keyed }) => firsts.set(placeOf(keyed), firsts.get(placeOf(keyed)) ?? keyed));
    const claimed: KeyedEvent[] = [];
    const release = () => releaseIdempotencyKeys(db, claimed);
    try {
      const holders = await this.settle(db, [...firsts.values()], claimed);
      const repeats = new Map<PreparedEvent, KeyedEvent>();
      for (const { event, keyed } of asked) {
        const first = holders.get(placeOf(keyed)) ?? firsts.get(placeOf(keyed))!;
        if (first !== keyed) {
          requireRepeat(keyed, first);
          repeats.set(event, first);
        }
      }
      return { repeats, release };
    } catch (error) {
      // After a database error the transaction is lost, and the keys with it.
      await release().catch(() => undefined);
      throw error;
    }
  }

  /** Loops until every key is either claimed or held by an event. A key released meanwhile is claimed again. */
  private async settle(db: Kysely<unknown>, events: readonly KeyedEvent[], claimed: KeyedEvent[]) {
    const holders = new Map<string, KeyedEvent>();
    for (let open = events; open.length > 0;) {
      const won = new Set(await claimIdempotencyKeys(db, open));
      claimed.push(...open.filter(({ eventId }) => won.has(eventId)));
      open = open.filter(({ eventId }) => !won.has(eventId));
      if (open.length > 0) {
        const found = await findKeyHolders(db, open, this.config.idempotency.windowDays);
        found.filter(({ isExpired }) => !isExpired).forEach((holder) => holders.set(placeOf(holder), holder));
        await releaseIdempotencyKeys(
          db,
          found.filter(({ isExpired }) => isExpired),
        );
        open = open.filter((event) => !holders.has(placeOf(event)));
      }
    }
    return holders;
  }
}

function placeOf({ tenantId, key }: KeyedEvent): string {
  return `${tenantId} ${key}`;
}
