import fc from 'fast-check';
import type { Model } from './model.js';
import * as others from './other-steps.js';
import type { Step } from './step.js';
import * as workers from './worker-steps.js';
import type { World } from './world.js';

/** Weight of each kind of step. */
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

/** Number of drawn steps. About half of them are not applicable at their turn and are skipped. */
const MAX_STEPS = 300;
/** Maximum number of runs to shrink a failing schedule. */
const MAX_SHRINKS = Number(process.env.MODEL_SHRINKS ?? 100);

/** Random sequences of actions of publishers, workers, operators and time; long ones from the first run on. */
export function schedules() {
  const steps = WEIGHTS.flatMap(([weight, step]) => Array.from({ length: weight }, () => step));
  return fc.limitShrink(
    fc.noBias(fc.commands<Model, World, false>(steps, { maxCommands: MAX_STEPS, size: 'max' })),
    MAX_SHRINKS,
  );
}
