import { waitFor } from '@kernel/eventbus/testing';
import { hang } from '@kernel/test-support/bad-behaviours';
import { CrashRun, PATIENCE_MS } from './crash-run.js';
import { reconcile } from './reconcile.js';

describe('a worker that freezes under load and thaws when it was given up', () => {
  let run: CrashRun;
  beforeEach(async () => {
    run = await CrashRun.start();
  });
  afterEach(() => run.close());

  const suspects = () =>
    run.database.query(
      'select from kernel_webhook_delivery where is_suspect union all select from kernel_lane where is_suspect',
    );

  const workersAlive = async () => (await run.database.query('select from kernel_worker')).length;
  const workersThatHold = () =>
    run.database.query(
      `select distinct leased_by from kernel_webhook_delivery where leased_by is not null and status in ('PENDING', 'FAILED')`,
    );

  it(
    'overwrites nothing of what others did meanwhile, and works on',
    async () => {
      const [frozen] = await Promise.all([run.startWorker(), run.startWorker()]);
      const publisher = await run.startPublisher({ transactions: 150 });
      await waitFor(() => run.receiver.receipts.length >= 50, 'webhooks under way');
      run.endpoints.forEach(({ name }) => run.receiver.behave(name, hang));
      await waitFor(async () => (await workersThatHold()).length === 2, 'both to hold something that takes long');
      frozen.freeze();
      await waitFor(async () => (await workersAlive()) === 1, 'the other to miss it');
      run.receiver.heal();
      await waitFor(async () => (await suspects()).length === 0, 'the other to do its work');
      expect(await workersAlive()).toBe(1);
      frozen.thaw();
      expect(await publisher.ends()).toEqual({ code: 0, signal: null });
      await reconcile(run);
    },
    PATIENCE_MS,
  );
});
