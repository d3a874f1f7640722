import { randomUUID } from 'node:crypto';
import type { EventBusOptions, PublishableEvent } from '@kernel/eventbus';
import { monotonicMs } from '../harness/monotonic-clock.ts';
import { serveCalls } from '../harness/serve-calls.ts';
import { EVENT_TYPE, JSONB_BLANKS, makePayload, streamOf, TENANT_ID } from '../webhook/event.ts';
import { IN_FLIGHT, type Target } from '../webhook/webhook-poster.ts';
import type { Contestant, Fill, PacedLoad, PublishLoad, Setup } from './contestant.ts';
import { addFleet, makeFleetEvent } from './fleet.ts';
import { BenchRow, KernelApp, migrateKernel, type BenchEndpoint } from './kernel-app.ts';
import { publishAtPace, runTransactions } from './load.ts';
import { seedSettled } from './seed-settled.sql.ts';

const FILL_BATCH = 1_000;
const FILL_CLIENTS = 2;

export interface KernelSetup extends Setup {
  ordering?: 'none' | 'stream';
  options?: Partial<EventBusOptions>;
}

export interface KernelFill extends Fill {
  /** Default: the type of the first endpoint. */
  type?: string;
  /** Events for the endpoints of `addFleet`, in turn. */
  isForFleet?: boolean;
}

let kernel: KernelApp;

function makePublishable(streamKey: string, type = EVENT_TYPE): PublishableEvent {
  const traceId = randomUUID().replaceAll('-', '');
  return { type, tenantId: TENANT_ID, streamKey, traceId, payload: makePayload(JSONB_BLANKS) };
}

/** The domain's transaction over MikroORM: one row, and the events published with it. */
async function transact(events: readonly PublishableEvent[]): Promise<string[]> {
  const published = await kernel.em.fork().transactional(async (em) => {
    em.create(BenchRow, { id: randomUUID(), note: 'a row of the domain' });
    const envelopes = [];
    for (const event of events) {
      envelopes.push(await kernel.outbox.publish(event, { em }));
    }
    return envelopes;
  });
  return published.map((envelope) => envelope.eventId);
}

const ours = {
  prepare: async ({ databaseUrl, sinkUrl, secret, ordering }: KernelSetup) => {
    await migrateKernel(databaseUrl);
    kernel = await KernelApp.start(databaseUrl, { role: 'api' });
    await kernel.addEndpoint({ url: sinkUrl, secret, type: EVENT_TYPE, ordering });
  },
  addEndpoint: (endpoint: BenchEndpoint) => kernel.addEndpoint(endpoint),
  addFleet: (target: Target) => addFleet(kernel, target),
  seedSettled: async (count: number) => {
    await kernel.sealPast();
    await seedSettled(() => kernel.connectAsOwner(), count);
  },
  fill: async ({ count, streams = count, type, isForFleet = false }: KernelFill) => {
    const batches = Math.ceil(count / FILL_BATCH);
    await runTransactions({ clients: FILL_CLIENTS, transactions: batches }, (batch) => {
      const first = batch * FILL_BATCH;
      const size = Math.min(FILL_BATCH, count - first);
      const events = Array.from({ length: size }, (_, place) =>
        isForFleet ? makeFleetEvent(first + place) : makePublishable(streamOf(first + place, streams), type),
      );
      return kernel.em.fork().transactional((em) => kernel.outbox.publishAll(events, { em }));
    });
  },
  publish: ({ eventsPerTransaction, ...load }: PublishLoad) =>
    runTransactions(load, (place) =>
      transact(
        Array.from({ length: eventsPerTransaction }, (_, offset) => makePublishable(`invoice:${place}-${offset}`)),
      ),
    ),
  publishPaced: (load: PacedLoad) =>
    publishAtPace(load, async () => (await transact([makePublishable(`invoice:${randomUUID()}`)]))[0]!),
  /** Milliseconds of each transaction with one event. */
  timePaced: async (load: PacedLoad) => {
    const times: number[] = [];
    await publishAtPace(load, async () => {
      const startMs = monotonicMs();
      const [eventId] = await transact([makePublishable(`invoice:${randomUUID()}`)]);
      times.push(monotonicMs() - startMs);
      return eventId!;
    });
    return times;
  },
  work: async ({ databaseUrl, options }: KernelSetup) => {
    kernel = await KernelApp.start(databaseUrl, {
      role: 'worker',
      concurrency: IN_FLIGHT,
      perEndpointConcurrency: IN_FLIGHT,
      ...options,
    });
  },
  countUnrouted: () => count(`select count(*) from kernel_outbox_event where status = 'PENDING'`),
  countUnsettled: async () =>
    (await count(`select count(*) from kernel_outbox_event where status = 'PENDING'`)) +
    (await count(`select count(*) from kernel_webhook_delivery where status in ('PENDING', 'FAILED')`)),
  residentBytes: async () => process.memoryUsage.rss(),
  close: () => kernel.close(),
} satisfies Contestant & Record<string, unknown>;

async function count(statement: string): Promise<number> {
  const [row] = await kernel.query<{ count: string }>(statement);
  return Number(row!.count);
}

export type Ours = typeof ours;

serveCalls(ours);
