import { CrashRun } from '../crash/crash-run.js';
import { DatabaseProxy } from '@kernel/test-support/database-proxy';
import { SeededRandom } from '../crash/programs/seeded-random.js';
import { reconcile } from '../crash/reconcile.js';
import { Incidents } from './incidents.js';

const MINUTE_MS = 60_000;
/** Duration of one round: faults under load, then the reconciliation of everything since the start. */
const ROUND_MS = 2 * MINUTE_MS;
const DRAIN_MS = 4 * MINUTE_MS;

const minutes = Number(process.env.SOAK_MINUTES);
const seed = Number(process.env.SOAK_SEED);

describe(`${minutes} minutes of faults under load, seed ${seed}`, () => {
  let run: CrashRun;
  let proxy: DatabaseProxy;
  beforeAll(async () => {
    run = await CrashRun.start();
    proxy = await DatabaseProxy.start(run.database.appUrl);
  });
  afterAll(async () => {
    proxy.cut();
    await run.close();
    await proxy.close();
  });

  const reportSlow = (remains: object) => {
    const workers = run.programs.filter(({ isAlive }) => isAlive);
    report([`still draining: ${JSON.stringify(remains)}`, ...workers.map(({ lastLines }) => lastLines)].join('\n'));
  };

  it(
    'lose nothing, invent nothing and keep the order',
    async () => {
      const incidents = new Incidents(run, proxy, new SeededRandom(seed));
      await incidents.startWorkers();
      report(`workers are at work; a line after each round of ${ROUND_MS / MINUTE_MS} minutes and its reconciliation`);
      const endsAt = performance.now() + minutes * MINUTE_MS;
      for (let round = 1; performance.now() < endsAt; round++) {
        await incidents.happen(seed + round, Math.min(ROUND_MS, endsAt - performance.now()));
        const { committed, received, repeats } = await reconcile(run, { withinMs: DRAIN_MS, onSlow: reportSlow });
        report(
          `round ${round}: ${committed} committed, ${received} webhooks received, ${repeats} of them repeats; ${incidents}`,
        );
      }
    },
    minutes * MINUTE_MS * 2 + 2 * DRAIN_MS,
  );
});

/** Bypasses Jest, which holds back a test's output until the test ends. */
function report(line: string): void {
  process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`);
}
