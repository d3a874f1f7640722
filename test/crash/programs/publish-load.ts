import { setTimeout as delay } from 'node:timers/promises';
import type { OutboxService, PublishableEvent } from '@kernel/eventbus';
import type { EntityManager } from '@mikro-orm/postgresql';
import { noteRolledBack, takePlaces, writeJournal } from './journal.sql.ts';
import { SeededRandom } from './seeded-random.ts';
import { StreamChoice } from './stream-choice.ts';

export interface Load {
  seed: number;
  tenantIds: string[];
  types: string[];
  /** Per tenant; the tenants' streams have the same names. */
  streams: number;
  clients: number;
  /** Total over all clients; every third one is rolled back on purpose. Default: until told to stop. */
  transactions?: number;
  eventsPerTransaction: number;
  /** Between two transactions of a client. */
  pauseMs: number;
}

export interface Domain {
  em: EntityManager;
  outbox: OutboxService;
}

const RETRY_PAUSE_MS = 100;
const ROLLED_BACK = 3;

class OnPurposeError extends Error {}

export async function publishLoad(domain: Domain, load: Load, untilTold: AbortSignal): Promise<void> {
  const random = new SeededRandom(load.seed);
  const streams = new StreamChoice(load.streams, random);
  let transactions = 0;
  const nextEvent = (isRolledBack: boolean): PublishableEvent => ({
    tenantId: random.pick(load.tenantIds),
    type: random.pick(load.types),
    streamKey: isRolledBack ? streams.busy() : streams.next(),
    traceId: `crash-${load.seed}-${transactions}`,
  });
  const client = async () => {
    while (!untilTold.aborted && transactions++ < (load.transactions ?? Infinity)) {
      const isRolledBack = transactions % ROLLED_BACK === 0;
      const events = Array.from({ length: load.eventsPerTransaction }, () => nextEvent(isRolledBack));
      await transactUntilDone(domain, events, isRolledBack, untilTold);
      await delay(load.pauseMs);
    }
  };
  await Promise.all(Array.from({ length: load.clients }, client));
}

/** The database may be unavailable for a while; a domain tries again. */
async function transactUntilDone(
  domain: Domain,
  events: PublishableEvent[],
  isRolledBack: boolean,
  untilTold: AbortSignal,
): Promise<void> {
  for (;;) {
    try {
      return await transact(domain, events, isRolledBack);
    } catch (error) {
      if (untilTold.aborted) {
        return;
      }
      console.error('a transaction failed; trying again:', error instanceof Error ? error.message : error);
      await delay(RETRY_PAUSE_MS);
    }
  }
}

/** One change of the domain: its rows, its journal and its events, atomically. */
async function transact({ em, outbox }: Domain, events: PublishableEvent[], isRolledBack: boolean): Promise<void> {
  let eventIds: string[] = [];
  const change = em.fork().transactional(async (trx) => {
    const places = await takePlaces(trx.getKysely(), events);
    const published = await outbox.publishAll(
      events.map((event, index) => ({ ...event, payload: { place: places[index] } })),
      { em: trx },
    );
    eventIds = published.map(({ eventId }) => eventId);
    await writeJournal(
      trx.getKysely(),
      published.map((event, index) => ({ ...event, place: places[index]! })),
    );
    if (isRolledBack) {
      throw new OnPurposeError();
    }
  });
  try {
    await change;
  } catch (error) {
    if (!(error instanceof OnPurposeError)) {
      throw error;
    }
    await noteRolledBack(em.fork().getKysely(), eventIds);
  }
}
