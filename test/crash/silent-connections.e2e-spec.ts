import { waitFor } from '@kernel/eventbus/testing';
import { CrashRun, PATIENCE_MS } from './crash-run.js';
import { DatabaseProxy } from '@kernel/test-support/database-proxy';
import { reconcile } from './reconcile.js';

const RESUMED_WITHIN_MS = 60_000;

describe('connections that go silent without a reset', () => {
  let run: CrashRun;
  let proxy: DatabaseProxy;
  beforeEach(async () => {
    run = await CrashRun.start();
    proxy = await DatabaseProxy.start(run.database.appUrl);
  });
  afterEach(async () => {
    // A graceful close on a silent connection would never end.
    proxy.cut();
    await run.close();
    await proxy.close();
  });

  it(
    'are given up with a log line, and delivery goes on with new ones',
    async () => {
      // The publisher bypasses the proxy.
      const publisher = await run.startPublisher({ pauseMs: 300 });
      run.databaseUrl = proxy.urlOf(run.database.appUrl);
      const workers = await Promise.all([run.startWorker(), run.startWorker()]);
      await waitFor(() => run.receiver.receipts.length >= 100, 'webhooks under way');
      expect(proxy.silenceOpenConnections()).toBeGreaterThan(0);
      const [last] = await run.database.query<{ eventId: string }>(
        'select event_id as "eventId" from crash_journal order by event_id desc limit 1',
      );
      await waitFor(
        () => run.receiver.receipts.some(({ headers }) => (headers['webhook-id'] as string) > last!.eventId),
        'a webhook of an event that was committed since',
        { timeoutMs: RESUMED_WITHIN_MS },
      );
      expect(await publisher.terminate()).toEqual({ code: 0, signal: null });
      await reconcile(run);
      const told = workers.map(({ lines }) => lines.some((line) => line.includes('did not answer in time')));
      expect(told).toEqual([true, true]);
    },
    2 * PATIENCE_MS,
  );
});
