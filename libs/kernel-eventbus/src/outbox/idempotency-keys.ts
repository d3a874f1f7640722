import { Injectable } from '@nestjs/common';
import type { Kysely } from 'kysely';
import { EventRegistry } from '../envelope/event-registry.js';
import { EventBusConfig } from '../eventbus.options.js';
import { claimIdempotencyKeys } from './claim-idempotency-keys.sql.js';
import { findKeyHolders } from './find-key-holders.sql.js';
import { requireRepeat, toKeyedEvent, type KeyedEvent } from './keyed-event.js';
import type { PreparedEvent } from './prepare-event.js';
import { releaseIdempotencyKeys } from './release-idempotency-keys.sql.js';

export interface ClaimedKeys {
  /** What each repeat is a repeat of; events that are not in it are new. */
  repeats: ReadonlyMap<PreparedEvent, KeyedEvent>;
  /** Gives the keys back, for when their events are not published after all. */
  release: () => Promise<void>;
}

/**
 * KFM-5: one event per tenant and key. The key's row is written by the caller's transaction, inside `publish`: whoever comes
 * second waits for its outcome, and takes the key himself if the first rolls back.
 */
@Injectable()
export class IdempotencyKeys {
  constructor(
    private readonly registry: EventRegistry,
    private readonly config: EventBusConfig,
  ) {}

  /** @throws {IdempotencyConflictError} when a key stands for something else; then none is claimed */
  async claim(db: Kysely<unknown>, events: readonly PreparedEvent[]): Promise<ClaimedKeys> {
    const firsts = new Map<string, KeyedEvent>();
    const asked = events
      .filter(({ idempotencyKey }) => idempotencyKey !== null)
      .map((event) => ({ event, keyed: toKeyedEvent(event, this.registry.find(event.type)) }));
    // Repeats within one call: the first of them speaks for all.
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
      // Where the database refused, the transaction is lost, and the keys with it.
      await release().catch(() => undefined);
      throw error;
    }
  }

  /** Until every key is either claimed or known to stand for an event. One that is given back meanwhile is asked for again. */
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
