import { readFileSync } from 'node:fs';
import { STAGES, type Stage } from '@kernel/eventbus/engine';
import { CrashRun, PATIENCE_MS } from './crash-run.js';
import { reconcile } from './reconcile.js';

/** The process that passes the stage, and the count at which it dies there: late enough to hold other work. */
const DEATHS: Record<Stage, { who: 'publisher' | 'worker'; after: number }> = {
  'events-written': { who: 'publisher', after: 10 },
  committed: { who: 'publisher', after: 10 },
  'events-claimed': { who: 'worker', after: 2 },
  'deliveries-inserted': { who: 'worker', after: 2 },
  routed: { who: 'worker', after: 2 },
  claimed: { who: 'worker', after: 30 },
  prepared: { who: 'worker', after: 30 },
  sent: { who: 'worker', after: 30 },
  judged: { who: 'worker', after: 30 },
  recorded: { who: 'worker', after: 5 },
};
const diesHere = (who: 'publisher' | 'worker') => STAGES.filter((stage) => DEATHS[stage].who === who);

/** No lease expires by itself: the dead worker's leases are released because its heartbeat is missing. */
const FOREVER = { leaseMs: 3_600_000 };

const KILLED = { code: null, signal: 'SIGKILL' };

describe('a process that is killed between two stages leaves its work to another', () => {
  let run: CrashRun;
  beforeEach(async () => {
    run = await CrashRun.start();
  });
  afterEach(() => run.close());

  const pointOf = (stage: Stage) => run.killPoint(stage, DEATHS[stage].after);
  const expectReached = (stage: Stage) => expect(readFileSync(pointOf(stage).markerFile, 'utf8')).toBe(stage);

  it(
    `as a worker, at each stage after the other, every heir dying at the next: ${diesHere('worker').join(', ')}`,
    async () => {
      let heir = run.spare();
      const publisher = await run.startPublisher({ clients: 2, pauseMs: 60 });
      for (const stage of diesHere('worker')) {
        const victim = heir;
        heir = run.spare();
        await run.beginWork(victim, FOREVER, pointOf(stage));
        expect(await victim.ends()).toEqual(KILLED);
        expectReached(stage);
      }
      await run.beginWork(heir, FOREVER);
      expect(await publisher.terminate()).toEqual({ code: 0, signal: null });
      await reconcile(run);
    },
    2 * PATIENCE_MS,
  );

  it(
    `as a publisher: ${diesHere('publisher').join(', ')}`,
    async () => {
      await run.startWorker(FOREVER);
      for (const [place, stage] of diesHere('publisher').entries()) {
        const publisher = await run.startPublisher({ seed: place + 1, transactions: 60 }, pointOf(stage));
        expect(await publisher.ends()).toEqual(KILLED);
        expectReached(stage);
      }
      await reconcile(run);
    },
    PATIENCE_MS,
  );
});
