import { readFileSync } from 'node:fs';
import type { Stage } from '@kernel/eventbus';
import { CrashRun, PATIENCE_MS } from './crash-run.js';
import { reconcile } from './reconcile.js';

describe('a process that is killed between two stages', () => {
  let run: CrashRun;
  beforeEach(async () => {
    run = await CrashRun.start();
  });
  afterEach(() => run.close());

  const markerOf = ({ markerFile }: { markerFile: string }) => readFileSync(markerFile, 'utf8');

  it.each<[Stage, number]>([
    ['events-written', 10],
    ['committed', 10],
  ])(
    'loses nothing that was committed, and brings nothing that was not: publisher, %s',
    async (stage, after) => {
      const worker = run.spare();
      const killPoint = run.killPoint(stage, after);
      const publisher = await run.startPublisher({}, killPoint);
      expect(await publisher.ends()).toEqual({ code: null, signal: 'SIGKILL' });
      expect(markerOf(killPoint)).toBe(stage);
      await run.beginWork(worker);
      await reconcile(run);
    },
    PATIENCE_MS,
  );

  it.each<[Stage, number]>([
    ['events-claimed', 2],
    ['deliveries-inserted', 2],
    ['routed', 2],
    ['claimed', 30],
    ['prepared', 30],
    ['sent', 30],
    ['judged', 30],
    ['recorded', 5],
  ])(
    'leaves its work to another: worker, %s',
    async (stage, after) => {
      const [victim, heir] = [run.spare(), run.spare()];
      const killPoint = run.killPoint(stage, after);
      const publisher = await run.startPublisher({ transactions: 60 });
      await run.beginWork(victim, {}, killPoint);
      expect(await victim.ends()).toEqual({ code: null, signal: 'SIGKILL' });
      expect(markerOf(killPoint)).toBe(stage);
      await run.beginWork(heir);
      expect(await publisher.ends()).toEqual({ code: 0, signal: null });
      await reconcile(run);
    },
    PATIENCE_MS,
  );
});
