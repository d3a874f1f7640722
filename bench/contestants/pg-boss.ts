import type pg from 'pg';
import { PgBoss } from 'pg-boss';
import { serveCalls } from '../harness/serve-calls.ts';
import { makeEvent, streamOf, type WebhookEvent } from '../webhook/event.ts';
import { IN_FLIGHT } from '../webhook/webhook-poster.ts';
import type { Contestant, Setup } from './contestant.ts';
import { publishAtPace, runTransactions } from './load.ts';
import { makePeerJob, preparePeerJob, type PeerJob } from './peer-job.ts';
import { PgTransactions } from './pg-transactions.ts';

const QUEUE = 'deliver';
const FILL_BATCH = 1_000;
const WORKERS = 4;

let transactions: PgTransactions;
let boss: PgBoss;
let peerJob: PeerJob | undefined;

async function open({ databaseUrl, isNotifying = false }: Setup): Promise<void> {
  transactions = new PgTransactions(databaseUrl);
  boss = new PgBoss({ connectionString: databaseUrl, useListenNotify: isNotifying, schedule: false });
  boss.on('error', (error) => console.error(error));
  await boss.start();
}

function send(client: pg.PoolClient, events: readonly WebhookEvent[]): Promise<unknown> {
  const db = { executeSql: (text: string, values?: unknown[]) => client.query(text, values as never) };
  return events.length === 1
    ? boss.send(QUEUE, events[0], { db })
    : boss.insert(
        QUEUE,
        events.map((data) => ({ data })),
        { db },
      );
}

const pgBoss: Contestant = {
  prepare: async (setup) => {
    await open(setup);
    await boss.createQueue(QUEUE, { notify: setup.isNotifying ?? false });
    await transactions.prepare();
    await preparePeerJob(setup, transactions);
  },
  fill: async ({ count, streams = count }) => {
    for (let filled = 0; filled < count; filled += FILL_BATCH) {
      const size = Math.min(FILL_BATCH, count - filled);
      const events = Array.from({ length: size }, (_, place) => makeEvent(streamOf(filled + place, streams)));
      await transactions.run((client) => send(client, events));
    }
  },
  publish: ({ eventsPerTransaction, ...load }) =>
    runTransactions(load, (place) =>
      transactions.run(async (client) => {
        if (eventsPerTransaction > 0) {
          await send(
            client,
            Array.from({ length: eventsPerTransaction }, (_, offset) => makeEvent(`invoice:${place}-${offset}`)),
          );
        }
      }),
    ),
  publishPaced: (load) =>
    publishAtPace(load, async () => {
      const event = makeEvent('invoice:1');
      await transactions.run((client) => send(client, [event]));
      return event.eventId;
    }),
  // docs/api/workers.md: batches, several workers, and no pause while batches come back full.
  work: async (setup) => {
    await open(setup);
    const deliveryJob = (peerJob = makePeerJob(setup, transactions));
    await boss.work<WebhookEvent>(
      QUEUE,
      {
        batchSize: IN_FLIGHT,
        localConcurrency: WORKERS,
        burstWhenBatchFull: true,
        pollingIntervalSeconds: 0.5,
      },
      async (jobs) => {
        await Promise.all(jobs.map((job) => deliveryJob.run(job.data)));
      },
    );
  },
  countUnsettled: () => transactions.count(`select count(*) from pgboss.job where state < 'completed'`),
  residentBytes: async () => process.memoryUsage.rss(),
  close: async () => {
    await boss.stop({ graceful: true, timeout: 10_000 });
    await peerJob?.close();
    await transactions.close();
  },
};

serveCalls({ ...pgBoss });
