import { waitFor } from '@kernel/eventbus/testing';
import { CrashRun, PATIENCE_MS } from './crash-run.js';
import { DatabaseProxy } from '@kernel/test-support/database-proxy';
import { startPostgresPair, type PostgresPair } from './postgres-pair.js';
import { reconcile } from './reconcile.js';

describe('a failover to the standby', () => {
  let pair: PostgresPair;
  let proxy: DatabaseProxy;
  let run: CrashRun;
  beforeEach(async () => {
    pair = await startPostgresPair();
    proxy = await DatabaseProxy.start(pair.primaryUrl);
    process.env.TEST_POSTGRES_URL = proxy.urlOf(pair.primaryUrl);
    run = await CrashRun.start();
    await pair.replicateSynchronously();
  });
  afterEach(async () => {
    await run.close();
    await proxy.close();
    await pair.stop();
  });

  const moreThan = (count: number) =>
    waitFor(() => run.receiver.receipts.length > count, `more than ${count} webhooks`);

  it(
    'costs nothing that was committed, and nobody is taken for dead',
    async () => {
      const heartbeat = { intervalMs: 1_000, silentMs: 8_000 };
      const workers = await Promise.all([run.startWorker({ heartbeat }), run.startWorker({ heartbeat })]);
      const publisher = await run.startPublisher({ pauseMs: 50 });
      await moreThan(100);
      // The name leads to the standby before it accepts writes, as with many virtual addresses.
      proxy.switchTo(pair.standbyUrl);
      await pair.stopPrimary();
      await waitFor(
        () => workers.every(({ lines }) => lines.some((line) => line.includes('read-only transaction'))),
        'the workers to meet a server that takes no writes',
      );
      await pair.promoteStandby();
      await moreThan(run.receiver.receipts.length + 100);
      expect(await publisher.terminate()).toEqual({ code: 0, signal: null });
      await reconcile(run);
      const silent = workers.flatMap(({ lines }) => lines.filter((line) => line.includes('fell silent')));
      expect(silent).toEqual([]);
    },
    2 * PATIENCE_MS,
  );
});
