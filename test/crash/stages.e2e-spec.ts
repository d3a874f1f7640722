import { readFileSync } from 'node:fs';
import { STAGES, type Stage } from '@kernel/eventbus';
import { CrashRun, PATIENCE_MS } from './crash-run.js';
import { reconcile } from './reconcile.js';

/** Who passes the stage, and at which time it dies there: late enough to have other work in its hands. */
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

/** No lease runs out by itself: what the dead one held is freed because it is missed. */
const FOREVER = { leaseMs: 3_600_000 };

const KILLED = { code: null, signal: 'SIGKILL' };
const DONE = { code: 0, signal: null };

describe('a process that is killed between two stages leaves its work to another', () => {
  let run: CrashRun;
  beforeEach(async () => {
    run = await CrashRun.start();
  });
  afterEach(() => run.close());

  it.each(STAGES)(
    '%s',
    async (stage) => {
      const { who, after } = DEATHS[stage];
      const killPoint = run.killPoint(stage, after);
      const [worker, heir] = [run.spare(), run.spare()];
      const publisher = await run.startPublisher({ transactions: 60 }, who === 'publisher' ? killPoint : undefined);
      await run.beginWork(worker, FOREVER, who === 'worker' ? killPoint : undefined);
      const victim = who === 'worker' ? worker : publisher;
      expect(await victim.ends()).toEqual(KILLED);
      expect(readFileSync(killPoint.markerFile, 'utf8')).toBe(stage);

      await run.beginWork(heir, FOREVER);
      expect(await publisher.ends()).toEqual(who === 'publisher' ? KILLED : DONE);
      await reconcile(run);
    },
    PATIENCE_MS,
  );
});
