import { waitFor } from '@kernel/eventbus/testing';
import { hang } from '@kernel/test-support/bad-behaviours';
import { CrashRun, PATIENCE_MS } from './crash-run.js';
import { reconcile } from './reconcile.js';
import type { Receipt } from '@kernel/test-support/recording-receiver';

const idOf = ({ endpoint, headers }: Receipt) => `${endpoint} ${headers['webhook-id'] as string}`;

describe('a worker that thaws when others have done its work', () => {
  let run: CrashRun;
  beforeEach(async () => {
    run = await CrashRun.start();
  });
  afterEach(() => run.close());

  const countWorkers = async () => (await run.database.query('select from kernel_worker')).length;
  const countHolders = async () =>
    (
      await run.database.query(
        `select leased_by from kernel_webhook_delivery
         where leased_by is not null and status in ('PENDING', 'FAILED') group by 1 having count(*) > 40`,
      )
    ).length;

  it(
    'sends nothing that it may have lost',
    async () => {
      run.endpoints.forEach(({ name }) => run.receiver.behave(name, hang));
      const patient = { timeoutMs: 8_000, leaseMs: 60_000, circuit: { failures: 1_000 } };
      const heir = run.spare();
      const frozen = await run.startWorker(patient);
      const publisher = await run.startPublisher({ transactions: 50, pauseMs: 0 });
      expect(await publisher.ends()).toEqual({ code: 0, signal: null });
      await waitFor(async () => (await countHolders()) === 1, 'more to be held than is in flight');
      frozen.freeze();
      run.receiver.heal();
      await run.beginWork(heir, patient);
      await reconcile(run);
      expect(await countWorkers()).toBe(1);

      const before = new Set(run.receiver.receipts.map(idOf));
      const countBefore = run.receiver.receipts.length;
      frozen.thaw();
      await waitFor(async () => (await countWorkers()) === 2, 'the frozen one to beat again');
      const later = await run.startPublisher({ seed: 2, transactions: 15 });
      expect(await later.ends()).toEqual({ code: 0, signal: null });
      await reconcile(run);
      const again = run.receiver.receipts.slice(countBefore).filter((receipt) => before.has(idOf(receipt)));
      expect(again.map(idOf)).toEqual([]);
    },
    2 * PATIENCE_MS,
  );
});
