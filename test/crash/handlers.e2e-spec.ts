import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { waitFor } from '@kernel/eventbus/testing';
import { startKernelApp } from '@kernel/test-support/kernel-app';
import { CrashRun, PATIENCE_MS } from './crash-run.js';
import type { BalanceSetup } from './programs/balance-worker.js';

const EVENTS = 30;
/** Late enough to hold other work. */
const AFTER = 10;

describe("a handler's effect happens exactly once although its process is killed", () => {
  let run: CrashRun;
  beforeEach(async () => {
    run = await CrashRun.start(() => []);
    await run.database.query('create table crash_balance (cents int not null, bookings int not null)');
    await run.database.query('insert into crash_balance values (0, 0)');
  });
  afterEach(() => run.close());

  async function publishAll(): Promise<void> {
    const kernel = await startKernelApp({ role: 'api', database: run.database });
    await kernel.em.fork().transactional((em) =>
      kernel.outbox.publishAll(
        Array.from({ length: EVENTS }, (_, n) => ({
          tenantId: run.tenantIds[0],
          type: 'cents.booked.v1',
          streamKey: `account:${n}`,
          traceId: 'trace-0001',
          payload: { cents: n + 1 },
        })),
        { em },
      ),
    );
    await kernel.close();
  }

  const settled = async () =>
    (
      await run.database.query<{ settled: number }>(
        `select count(*)::int as settled from kernel_webhook_delivery where status = 'DELIVERED'`,
      )
    )[0]!.settled;

  it.each(['after its writes and before the commit', 'after the commit and before the outcome is recorded'])(
    '%s',
    async (moment) => {
      const killPoint = run.killPoint('sent', AFTER);
      const death: Partial<BalanceSetup> = moment.startsWith('after its writes')
        ? { deathInHandler: { after: AFTER, markerFile: join(run.directory, 'died') } }
        : { killPoint };
      // The first start registers the handler, so events published afterwards are routed to it.
      const [first, mortal, heir] = [run.spareBalanceWorker(), run.spareBalanceWorker(), run.spareBalanceWorker()];
      await run.beginBalances(first);
      expect(await first.terminate()).toEqual({ code: 0, signal: null });
      await publishAll();
      await run.beginBalances(mortal, death);
      expect(await mortal.ends()).toEqual({ code: null, signal: 'SIGKILL' });
      expect(readFileSync(death.deathInHandler?.markerFile ?? killPoint.markerFile, 'utf8')).not.toBe('');

      await run.beginBalances(heir);
      await waitFor(async () => (await settled()) === EVENTS, 'everything to be delivered', { timeoutMs: 120_000 });
      expect(await run.database.query('select cents, bookings from crash_balance')).toEqual([
        { cents: (EVENTS * (EVENTS + 1)) / 2, bookings: EVENTS },
      ]);
    },
    PATIENCE_MS,
  );
});
