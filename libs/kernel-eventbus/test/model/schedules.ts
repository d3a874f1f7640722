import fc from 'fast-check';
import type { Model } from './model.js';
import * as others from './other-steps.js';
import type { Step } from './step.js';
import * as workers from './worker-steps.js';
import type { World } from './world.js';

/** How often each kind of step is drawn. */
const WEIGHTS: [number, fc.Arbitrary<Step>][] = [
  [5, others.publishSome],
  [5, workers.route],
  [8, workers.claim],
  [2, workers.claimSuspects],
  [16, workers.send],
  [16, workers.answer],
  [3, workers.rescue],
  [2, workers.beat],
  [2, workers.crash],
  [1, workers.crashWhileRouting],
  [1, workers.shutDown],
  [2, workers.freeze],
  [2, workers.takeOver],
  [5, workers.thaw],
  [1, workers.expire],
  [3, workers.claimAnew],
  [5, others.passTime],
  [1, others.loseDatabase],
  [2, others.change],
  [1, others.remove],
  [2, others.replaySome],
  [1, others.skip],
];

/** Drawn; about half of them have nothing to do when it is their turn, and are left out. */
const MAX_STEPS = 300;
/** Runs in which a failing schedule is made shorter. */
const MAX_SHRINKS = Number(process.env.MODEL_SHRINKS ?? 100);

/** What publishers, workers, operators and time do, in an order that is drawn. Long ones from the first run on. */
export function schedules() {
  const steps = WEIGHTS.flatMap(([weight, step]) => Array.from({ length: weight }, () => step));
  return fc.limitShrink(
    fc.noBias(fc.commands<Model, World, false>(steps, { maxCommands: MAX_STEPS, size: 'max' })),
    MAX_SHRINKS,
  );
}
