import { setTimeout as delay } from 'node:timers/promises';
import { CrashRun, PATIENCE_MS } from './crash-run.js';
import { APPLICATION_NAME } from './program.js';
import { SeededRandom } from './programs/seeded-random.js';
import { reconcile } from './reconcile.js';

const ROUNDS = 20;
const SEED = 310;

describe('connections that are cut again and again', () => {
  let run: CrashRun;
  beforeEach(async () => {
    run = await CrashRun.start();
  });
  afterEach(() => run.close());

  it(
    'cost nothing that was committed, also while the work of a dead worker is taken over',
    async () => {
      const random = new SeededRandom(SEED);
      const [, dying] = await Promise.all([run.startWorker(), run.startWorker()]);
      const publisher = await run.startPublisher();
      let cut = 0;
      for (let round = 0; round < ROUNDS; round++) {
        await delay(random.between(50, 350));
        if (round === ROUNDS / 5) {
          await dying.kill();
        }
        const backends = await run.database.query(
          `select pg_terminate_backend(pid) from pg_stat_activity
           where datname = current_database() and application_name = $1 and random() < 0.5`,
          [APPLICATION_NAME],
        );
        cut += backends.length;
      }
      expect(cut).toBeGreaterThan(ROUNDS);
      expect(await publisher.terminate()).toEqual({ code: 0, signal: null });
      await reconcile(run);
    },
    PATIENCE_MS,
  );
});
