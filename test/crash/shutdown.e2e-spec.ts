import { waitFor } from '@kernel/eventbus/testing';
import { hang } from '@kernel/test-support/bad-behaviours';
import { CrashRun, PATIENCE_MS } from './crash-run.js';
import { reconcile } from './reconcile.js';

const SLOWLY_MS = 100;
/** Long enough that a stalled machine causes no timeout, after which a webhook would be sent again. */
const PATIENT = { timeoutMs: 60_000, leaseMs: 3_600_000 };

describe('a worker that is told to stop under load', () => {
  let run: CrashRun;
  beforeEach(async () => {
    run = await CrashRun.start();
    const publisher = await run.startPublisher({ transactions: 90 });
    expect(await publisher.ends()).toEqual({ code: 0, signal: null });
  });
  afterEach(() => run.close());

  const heldByAnyone = () =>
    run.database.query(`
      select leased_by from kernel_webhook_delivery where leased_by is not null or lease_until is not null
      union all select leased_by from kernel_lane where leased_by is not null or lease_until is not null
      union all select worker_id from kernel_worker
    `);
  const unsettled = () =>
    run.database.query<{ attempts: number; status: string; error: string | null }>(
      `select attempts, status, last_error as error from kernel_webhook_delivery where status <> 'DELIVERED'`,
    );
  const untouched = { attempts: 0, status: 'PENDING', error: null };

  it(
    'finishes what is in flight and leaves the rest: nothing is sent twice',
    async () => {
      for (const { name } of run.endpoints) {
        run.receiver.behave(name, (response) => setTimeout(() => response.writeHead(204).end(), SLOWLY_MS));
      }
      const worker = await run.startWorker(PATIENT);
      await waitFor(() => run.receiver.receipts.length >= 40, 'webhooks under way');
      expect(await worker.terminate()).toEqual({ code: 0, signal: null });

      expect(await heldByAnyone()).toEqual([]);
      const left = await unsettled();
      expect(left.length).toBeGreaterThan(0);
      expect(left).toEqual(left.map(() => untouched));

      run.receiver.heal();
      await run.startWorker(PATIENT);
      expect(await reconcile(run)).toMatchObject({ repeats: 0 });
    },
    PATIENCE_MS,
  );

  it(
    'gives back what does not come to an end in time, at no attempt’s cost',
    async () => {
      for (const { name } of run.endpoints) {
        run.receiver.behave(name, hang);
      }
      const worker = await run.startWorker({ ...PATIENT, shutdownTimeoutMs: 300 });
      await waitFor(() => run.receiver.receipts.length >= 16, 'webhooks that hang');
      expect(await worker.terminate()).toEqual({ code: 0, signal: null });

      expect(await heldByAnyone()).toEqual([]);
      const left = await unsettled();
      expect(left).toEqual(left.map(() => untouched));

      run.receiver.heal();
      await run.startWorker();
      await reconcile(run);
    },
    PATIENCE_MS,
  );
});
