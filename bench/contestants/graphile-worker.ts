import { Logger, run, runMigrations, type Runner } from 'graphile-worker';
import type pg from 'pg';
import { serveCalls } from '../harness/serve-calls.ts';
import { makeEvent, streamOf, type WebhookEvent } from '../webhook/event.ts';
import { IN_FLIGHT } from '../webhook/webhook-poster.ts';
import type { Contestant } from './contestant.ts';
import { publishAtPace, runTransactions } from './load.ts';
import { makePeerJob, preparePeerJob, type PeerJob } from './peer-job.ts';
import { PgTransactions } from './pg-transactions.ts';

const TASK = 'deliver';
const FILL_BATCH = 1_000;
const silent = new Logger(() => () => undefined);

let transactions: PgTransactions;
let runner: Runner | undefined;
let job: PeerJob | undefined;

/** Documented way for transactions and batches: the SQL functions, one call for any number of jobs. */
function addJobs(client: Pick<pg.PoolClient, 'query'>, events: readonly WebhookEvent[]): Promise<unknown> {
  if (events.length === 1) {
    return client.query('select graphile_worker.add_job($1, $2::json)', [TASK, JSON.stringify(events[0])]);
  }
  return client.query(
    `select graphile_worker.add_jobs(array(
       select row($1, payload, null, null, null, null, null, null)::graphile_worker.job_spec
       from unnest($2::json[]) as payload
     ))`,
    [TASK, events.map((event) => JSON.stringify(event))],
  );
}

const graphileWorker: Contestant = {
  prepare: async (setup) => {
    await runMigrations({ connectionString: setup.databaseUrl, logger: silent });
    transactions = new PgTransactions(setup.databaseUrl);
    await transactions.prepare();
    await preparePeerJob(setup, transactions);
  },
  fill: async ({ count, streams = count }) => {
    for (let filled = 0; filled < count; filled += FILL_BATCH) {
      const size = Math.min(FILL_BATCH, count - filled);
      const events = Array.from({ length: size }, (_, place) => makeEvent(streamOf(filled + place, streams)));
      await transactions.run((client) => addJobs(client, events));
    }
  },
  publish: ({ eventsPerTransaction, ...load }) =>
    runTransactions(load, (place) =>
      transactions.run(async (client) => {
        if (eventsPerTransaction > 0) {
          await addJobs(
            client,
            Array.from({ length: eventsPerTransaction }, (_, offset) => makeEvent(`invoice:${place}-${offset}`)),
          );
        }
      }),
    ),
  publishPaced: (load) =>
    publishAtPace(load, async () => {
      const event = makeEvent('invoice:1');
      await transactions.run((client) => addJobs(client, [event]));
      return event.eventId;
    }),
  // https://worker.graphile.org/docs/performance: the settings of its own throughput figures.
  work: async (setup) => {
    transactions = new PgTransactions(setup.databaseUrl);
    const deliveryJob = (job = makePeerJob(setup, transactions));
    runner = await run({
      connectionString: setup.databaseUrl,
      logger: silent,
      noHandleSignals: true,
      taskList: { [TASK]: (event) => deliveryJob.run(event as WebhookEvent) },
      preset: {
        worker: {
          concurrentJobs: IN_FLIGHT,
          maxPoolSize: IN_FLIGHT + 1,
          localQueue: { size: 500 },
          completeJobBatchDelay: 0,
          failJobBatchDelay: 0,
        },
      },
    });
  },
  countUnsettled: () => transactions.count('select count(*) from graphile_worker.jobs'),
  residentBytes: async () => process.memoryUsage.rss(),
  close: async () => {
    await runner?.stop();
    await job?.close();
    await transactions.close();
  },
};

serveCalls({ ...graphileWorker });
