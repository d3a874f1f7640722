import { setTimeout as delay } from 'node:timers/promises';
import { CrashRun, PAID, PATIENCE_MS, PLACED } from './crash-run.js';
import { SeededRandom } from './programs/seeded-random.js';
import { reconcile } from './reconcile.js';

const STREAMS = 2_000;
const WORKERS = 4;
const KILLS = 5;
const SEED = 20_261_116;

describe('workers that are killed again and again', () => {
  let run: CrashRun;
  beforeEach(async () => {
    run = await CrashRun.start(([tenantId]) => [
      { name: 'ordered', tenantId, types: [PAID], ordering: 'stream' },
      { name: 'everything', tenantId, types: [PLACED, PAID] },
    ]);
  });
  afterEach(() => run.close());

  it(
    `keep ${STREAMS} streams in order for a receiver with a filter, and lose nothing`,
    async () => {
      const random = new SeededRandom(SEED);
      const spares = Array.from({ length: KILLS }, () => run.spare());
      const workers = await Promise.all(Array.from({ length: WORKERS }, () => run.startWorker()));
      await Promise.all(spares.map((spare) => spare.loaded));
      const publisher = await run.startPublisher({
        seed: SEED,
        tenantIds: [run.tenantIds[0]],
        streams: STREAMS,
        transactions: 540,
        eventsPerTransaction: 10,
        pauseMs: 50,
      });
      for (const spare of spares) {
        await delay(random.between(100, 1_200));
        const [victim] = workers.splice(Math.floor(random.between(0, WORKERS)), 1, spare);
        const heirBegins = run.beginWork(spare);
        expect(await victim!.kill()).toEqual({ code: null, signal: 'SIGKILL' });
        await heirBegins;
      }
      expect(await publisher.ends()).toEqual({ code: 0, signal: null });
      await reconcile(run);
      const [domain] = await run.database.query<{ streams: number }>(
        'select count(*)::int as streams from crash_stream',
      );
      expect(domain!.streams).toBe(STREAMS);
    },
    PATIENCE_MS,
  );
});
