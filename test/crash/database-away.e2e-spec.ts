import { setTimeout as delay } from 'node:timers/promises';
import { waitFor } from '@kernel/eventbus/testing';
import { CrashRun, PATIENCE_MS } from './crash-run.js';
import { DatabaseProxy } from '@kernel/test-support/database-proxy';
import { reconcile } from './reconcile.js';

/** As in production. */
const USUAL = { timeoutMs: 15_000, heartbeat: { intervalMs: 2_000, silentMs: 8_000 } };
const ANSWER_MS = 300;
const WORKERS = 2;
const CONCURRENCY = 56;
/** Including the slots that a worker reserves for other tenants. */
const IN_FLIGHT = WORKERS * (CONCURRENCY + CONCURRENCY / 4);

describe('a database that is away for a while', () => {
  let run: CrashRun;
  let proxy: DatabaseProxy;
  beforeEach(async () => {
    run = await CrashRun.start();
    proxy = await DatabaseProxy.start(run.database.appUrl);
    run.databaseUrl = proxy.urlOf(run.database.appUrl);
    run.endpoints.forEach(({ name }) =>
      run.receiver.behave(name, (response) => setTimeout(() => response.writeHead(204).end(), ANSWER_MS)),
    );
  });
  afterEach(async () => {
    await run.close();
    await proxy.close();
  });

  const receivedIds = () =>
    new Set(run.receiver.receipts.map(({ headers }) => headers['x-kernel-delivery-id'] as string));

  /** A delivery sent while its row was being written may have another id, or none. */
  const countUnrecorded = async (deliveryIds: ReadonlySet<string>) => {
    const [open] = await run.database.query<{ count: number }>(
      `select count(*)::int as count from kernel_webhook_delivery
       where delivery_id = any($1::uuid[]) and status in ('PENDING', 'FAILED')`,
      [[...deliveryIds]],
    );
    return open!.count;
  };

  it.each([
    { awayMs: 2_500, leaseMs: 80_000, recordedWithinMs: 30_000 },
    { awayMs: 12_000, leaseMs: 80_000, recordedWithinMs: 50_000 },
    { awayMs: 30_000, leaseMs: 20_000, recordedWithinMs: 50_000 },
  ])(
    'for $awayMs ms, with leases of $leaseMs ms: answers are recorded when it is back, and only what was in flight is sent again',
    async ({ awayMs, leaseMs, recordedWithinMs }) => {
      const options = { ...USUAL, leaseMs, concurrency: CONCURRENCY };
      await Promise.all(Array.from({ length: WORKERS }, () => run.startWorker(options)));
      const publisher = await run.startPublisher({ transactions: 300, pauseMs: 0, streams: 60 });
      await waitFor(() => run.receiver.receipts.length >= 200, 'webhooks under way');
      proxy.goAway();
      await delay(awayMs);
      const received = receivedIds();
      proxy.comeBack();
      await waitFor(
        async () => (await countUnrecorded(received)) === 0,
        'all answers that came meanwhile to be recorded',
        { timeoutMs: recordedWithinMs },
      );
      expect(await publisher.ends()).toEqual({ code: 0, signal: null });
      const { repeats } = await reconcile(run);
      expect(repeats).toBeLessThanOrEqual(IN_FLIGHT);
      const silent = run.programs.map(({ lines }) => lines.filter((line) => line.includes('fell silent')));
      expect(silent.flat()).toEqual([]);
    },
    2 * PATIENCE_MS,
  );
});
