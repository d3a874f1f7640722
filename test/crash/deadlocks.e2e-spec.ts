import { waitFor } from '@kernel/eventbus/testing';
import { CrashRun, PAID, PATIENCE_MS, PLACED } from './crash-run.js';
import { reconcile } from './reconcile.js';

describe('routing, recording, renewals and rescues of ordered streams at the same time', () => {
  let run: CrashRun;
  beforeEach(async () => {
    run = await CrashRun.start(([one, other]) =>
      [one, other].flatMap((tenantId, tenant) =>
        [1, 2].map((endpoint) => ({
          name: `tenant-${tenant}-${endpoint}`,
          tenantId,
          types: [PLACED, PAID],
          ordering: 'stream' as const,
        })),
      ),
    );
  });
  afterEach(() => run.close());

  const countDeadlocks = async () => {
    const [row] = await run.database.query<{ deadlocks: number }>(
      'select deadlocks::int from pg_stat_database where datname = current_database()',
    );
    return row!.deadlocks;
  };

  it(
    'never deadlock',
    async () => {
      // Short leases, so many are renewed.
      const options = { leaseMs: 3_000, concurrency: 32 };
      const [dying] = await Promise.all([run.startWorker(options), run.startWorker(options), run.startWorker(options)]);
      const publisher = await run.startPublisher({ clients: 6, pauseMs: 0, streams: 40, transactions: 400 });
      await waitFor(() => run.receiver.receipts.length > 300, 'webhooks under way', { timeoutMs: PATIENCE_MS / 2 });
      await dying.kill();
      expect(await publisher.ends()).toEqual({ code: 0, signal: null });
      await reconcile(run);
      // The server flushes its counters with some delay.
      await run.database.query('select pg_stat_force_next_flush()');
      expect(await countDeadlocks()).toBe(0);
      const lines = run.programs.flatMap((program) => program.lines);
      expect(lines.filter((line) => /deadlock detected|40P01/.test(line))).toEqual([]);
    },
    2 * PATIENCE_MS,
  );
});
