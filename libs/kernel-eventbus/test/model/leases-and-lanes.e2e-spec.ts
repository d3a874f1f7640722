import fc from 'fast-check';
import { drain } from './drain.js';
import { Engine } from './engine.js';
import { schedules } from './schedules.js';
import { World } from './world.js';

const RUNS = Number(process.env.MODEL_RUNS ?? 12);
const SEED = Number(process.env.MODEL_SEED ?? 310);
/** Time of one run, shrinking runs included, on a slow machine. */
const RUN_MS = 30_000;

/** Situations that a run of the suite must reach to be meaningful. */
const TRIED = [
  ...['sent', 'sent in a lane', 'rescued', 'suspect', 'lease taken over'],
  ...['recorded DELIVERED', 'recorded FAILED', 'recorded DLQ', 'outcome refused: rescue'],
];

describe('several workers, whatever they, publishers, operators and time do in whatever order', () => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await Engine.start();
  });
  afterAll(() => engine.kernel.close());

  it(
    'lose nothing, keep the order, hold nothing twice and record each outcome once',
    async () => {
      await fc.assert(
        fc.asyncProperty(schedules(), async (commands) => {
          const world = await World.start(engine);
          await fc.asyncModelRun(() => ({ model: world.model, real: world }), commands);
          await drain(world);
        }),
        { numRuns: RUNS, seed: SEED },
      );
      expect(TRIED.filter((what) => !engine.tally.has(what))).toEqual([]);
    },
    2 * RUNS * RUN_MS,
  );
});
