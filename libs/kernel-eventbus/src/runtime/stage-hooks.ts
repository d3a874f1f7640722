import { Injectable } from '@nestjs/common';

/**
 * The moments between every two stages of the pipeline, in order. A transaction's events are written by what leaves with its commit, so
 * that nothing is answered yet at `events-written`. Where an event goes out while its delivery is being written, `routed` comes beside the
 * ones behind it; where it goes out before, with `recorded`.
 */
export const STAGES = [
  'events-written',
  'committed',
  'events-claimed',
  'deliveries-inserted',
  'routed',
  'claimed',
  'prepared',
  'sent',
  'judged',
  'recorded',
] as const;
export type Stage = (typeof STAGES)[number];

/** Called at each of these moments. Does nothing; a test puts its own in this place to stop or kill the process there. */
@Injectable()
export class StageHooks {
  reached(_stage: Stage): void {}
}
