import { CrashRun, PATIENCE_MS } from './crash-run.js';
import { reconcile } from './reconcile.js';

describe('a database with another default isolation', () => {
  let run: CrashRun;
  beforeEach(async () => {
    run = await CrashRun.start();
  });
  afterEach(() => run.close());

  it.each(['repeatable read', 'serializable'])(
    '%s makes no error in the engine, with and without order',
    async (level) => {
      const name = new URL(run.database.url).pathname.slice(1);
      await run.database.query(`alter database ${name} set default_transaction_isolation = '${level}'`);
      const workers = await Promise.all([run.startWorker(), run.startWorker()]);
      const publisher = await run.startPublisher({ transactions: 300, pauseMs: 0 });
      expect(await publisher.ends()).toEqual({ code: 0, signal: null });
      await reconcile(run);
      const faults = workers.flatMap(({ lines }) =>
        lines.filter((line) => /\bERROR\b|could not serialize|40001/.test(line)),
      );
      expect(faults).toEqual([]);
    },
    2 * PATIENCE_MS,
  );
});
