import { waitFor } from '@kernel/eventbus/testing';
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

  it(
    'overwrites nothing of what others did meanwhile, and works on',
    async () => {
      const [frozen] = await Promise.all([run.startWorker(), run.startWorker()]);
      const publisher = await run.startPublisher({ transactions: 150 });
      await waitFor(() => run.receiver.receipts.length >= 50, 'webhooks under way');
      frozen.freeze();
      await waitFor(async () => (await suspects()).length > 0, 'the others to miss it');
      await waitFor(async () => (await suspects()).length === 0, 'the others to do its work');
      frozen.thaw();
      expect(await publisher.ends()).toEqual({ code: 0, signal: null });
      await reconcile(run);
    },
    PATIENCE_MS,
  );
});
