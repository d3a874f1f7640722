import { waitFor } from '@kernel/eventbus/testing';
import { CrashRun, PATIENCE_MS } from './crash-run.js';
import { startOwnPostgres, type OwnPostgres } from './own-postgres.js';
import { APPLICATION_NAME } from './program.js';
import { reconcile } from './reconcile.js';

/** Far beyond the test's timeout: work found anyway was announced. */
const NEVER_MS = 3_600_000;
const RESTARTS = 2;

describe('a database that restarts without a word', () => {
  let postgres: OwnPostgres;
  let run: CrashRun;
  beforeAll(async () => {
    postgres = await startOwnPostgres();
    process.env.TEST_POSTGRES_URL = postgres.url;
  });
  afterAll(() => postgres.stop());
  beforeEach(async () => {
    run = await CrashRun.start();
  });
  afterEach(() => run.close());

  const moreThan = (count: number) =>
    waitFor(() => run.receiver.receipts.length > count, `more than ${count} webhooks`);

  it(
    'costs nothing that was committed, and workers and publishers go on by themselves',
    async () => {
      await Promise.all([run.startWorker(), run.startWorker()]);
      const publisher = await run.startPublisher();
      for (let restart = 0; restart < RESTARTS; restart++) {
        await moreThan(run.receiver.receipts.length + 100);
        await postgres.restartImmediately();
      }
      await moreThan(run.receiver.receipts.length + 100);
      expect(await publisher.terminate()).toEqual({ code: 0, signal: null });
      await reconcile(run);
    },
    PATIENCE_MS,
  );

  it(
    'is listened to again, so that workers hear of commits without looking',
    async () => {
      await run.startWorker({
        polling: { minIntervalMs: NEVER_MS, maxIntervalMs: NEVER_MS },
        // Nothing announces a retry.
        timeoutMs: 60_000,
        leaseMs: NEVER_MS,
      });
      await postgres.restartImmediately();
      await waitFor(async () => {
        const listeners = await run.database
          .query(`select from pg_stat_activity where application_name = $1 and query like 'listen %'`, [
            APPLICATION_NAME,
          ])
          .catch(() => []);
        return listeners.length > 0;
      }, 'a worker that listens');
      const publisher = await run.startPublisher({ transactions: 12 });
      expect(await publisher.ends()).toEqual({ code: 0, signal: null });
      await reconcile(run);
    },
    PATIENCE_MS,
  );
});
