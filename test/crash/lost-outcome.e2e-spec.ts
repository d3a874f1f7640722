import { waitFor } from '@kernel/eventbus/testing';
import pg from 'pg';
import { CrashRun, PAID, PATIENCE_MS } from './crash-run.js';
import { APPLICATION_NAME } from './program.js';
import { reconcile } from './reconcile.js';

describe('an outcome that could not be written', () => {
  let run: CrashRun;
  let blocker: pg.Client;
  const start = async (ordering: 'none' | 'stream') => {
    run = await CrashRun.start(([tenantId]) => [{ name: 'one', tenantId, types: [PAID], ordering }]);
    blocker = new pg.Client({ connectionString: run.database.url });
    await blocker.connect();
  };
  afterEach(async () => {
    await blocker.end();
    await run.close();
  });

  const holdDeliveries = async () => {
    await blocker.query('begin');
    await blocker.query('select from kernel_webhook_delivery for update');
  };

  /** Waits for a worker that is about to write an outcome, and cuts its connection. */
  const cutNextOutcome = async () => {
    const pids = await waitFor(async () => {
      const waiting = await run.database.query<{ pid: number }>(
        `select pid from pg_stat_activity
         where datname = current_database() and application_name = $1 and wait_event_type = 'Lock'
           and query like '%recorded as (%'`,
        [APPLICATION_NAME],
      );
      return waiting.length > 0 && waiting.map(({ pid }) => pid);
    }, 'a worker that waits to write');
    await run.database.query('select pg_terminate_backend(pid) from unnest($1::int[]) as pid', [pids]);
    await blocker.query('rollback');
  };

  it.each(['none', 'stream'] as const)(
    'is written over another connection, or comes again, also of a suspect (ordering: %s)',
    async (ordering) => {
      await start(ordering);
      const [victim, heir] = [run.spare(), run.spare()];
      const killPoint = run.killPoint('prepared', 1);
      const publisher = await run.startPublisher({
        tenantIds: [run.tenantIds[0]],
        types: [PAID],
        streams: 1,
        clients: 1,
        eventsPerTransaction: 1,
        transactions: 3,
      });
      expect(await publisher.ends()).toEqual({ code: 0, signal: null });
      await run.beginWork(victim, {}, killPoint);
      expect(await victim.ends()).toEqual({ code: null, signal: 'SIGKILL' });

      let held: Promise<void> | undefined;
      run.receiver.behave('one', (response) => {
        held ??= holdDeliveries();
        void held.then(() => response.writeHead(204).end());
      });
      // No timeout before the rows are held: its outcome would be written in time.
      await run.beginWork(heir, { timeoutMs: PATIENCE_MS });
      await waitFor(() => held !== undefined, 'a webhook');
      await held;
      await cutNextOutcome();
      await reconcile(run);
    },
    PATIENCE_MS,
  );
});
