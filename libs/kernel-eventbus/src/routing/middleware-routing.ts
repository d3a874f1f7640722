import type { EntityManager } from '@mikro-orm/postgresql';
import type { Kysely } from 'kysely';
import type { Broadcast, BroadcastPipeline } from '../dispatch/broadcast-pipeline.js';
import { toEnvelope } from '../outbox/to-envelope.js';
import { plainArray } from '../runtime/array-literal.js';
import { inHotTransaction } from '../runtime/hot-transaction.js';
import { claimChosenEvents, type PendingEvent } from './claim-pending-events.sql.js';
import { lockPendingEvents, unlockEvents } from './lock-pending-events.sql.js';
import { NOTHING_ROUTED, type RoutedBatch } from './routed-batch.js';
import { SetBackEvents } from './set-back-events.js';

/** What middleware tells the fan-out, and what it is told of it. */
export interface FanOutNotes {
  /** By event: the middleware that did not call next. */
  stoppedBy: ReadonlyMap<string, string>;
  /** By event: the deliveries it came to. */
  counts: Map<string, number>;
}

export type FanOut = (trx: Kysely<unknown>, claimed: PendingEvent[], notes: FanOutNotes) => Promise<RoutedBatch>;

/**
 * Routing where the host has broadcast middleware: it runs before the transaction and ends after it, so that it never holds a
 * row. One router at a time has an event's middleware; what fails waits a moment before it is tried again.
 */
export class MiddlewareRouting {
  readonly #setBack = new SetBackEvents();

  constructor(
    private readonly em: EntityManager,
    private readonly broadcasts: BroadcastPipeline,
  ) {}

  route(limit: number, fanOut: FanOut): Promise<RoutedBatch> {
    return this.em
      .fork()
      .getKysely<unknown>()
      .connection()
      .execute(async (connection) => {
        try {
          const events = await lockPendingEvents(connection, limit, this.#setBack.ids);
          const broadcasts = await Promise.all(
            events.map((event) =>
              this.broadcasts.begin(toEnvelope({ ...event, occurredAt: new Date(event.occurredAt).toISOString() })),
            ),
          );
          broadcasts
            .filter(({ decision }) => decision.kind === 'fail')
            .forEach(({ event }) => this.#setBack.add(event.eventId));
          return await this.routeDecided(broadcasts, fanOut);
        } finally {
          await unlockEvents(connection);
        }
      });
  }

  private async routeDecided(broadcasts: readonly Broadcast[], fanOut: FanOut): Promise<RoutedBatch> {
    const decided = new Map(
      broadcasts.filter(({ decision }) => decision.kind !== 'fail').map((one) => [one.event.eventId, one]),
    );
    if (decided.size === 0) {
      return NOTHING_ROUTED;
    }
    const stoppedBy = new Map(
      [...decided].flatMap(([eventId, { decision }]) =>
        decision.kind === 'stop' ? [[eventId, decision.by] as const] : [],
      ),
    );
    const counts = new Map<string, number>();
    try {
      const batch = await inHotTransaction(this.em.fork().getKysely(), async (trx) => {
        const claimed = await claimChosenEvents(trx, { eventIds: plainArray([...decided.keys()]) });
        return claimed.length > 0 ? fanOut(trx, claimed, { stoppedBy, counts }) : NOTHING_ROUTED;
      });
      await Promise.all(
        [...decided.values()].map((one) => one.end({ deliveries: counts.get(one.event.eventId) ?? 0 })),
      );
      return batch;
    } catch (error) {
      const fault = error instanceof Error ? error : new Error('routing failed');
      await Promise.all([...decided.values()].map((one) => one.end(fault)));
      throw error;
    }
  }
}
