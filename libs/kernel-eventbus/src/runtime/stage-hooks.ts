import { Injectable } from '@nestjs/common';

/**
 * The moments between every two stages of the pipeline, in order. Where an event is sent while its delivery is being written, `routed`
 * comes beside the ones behind it.
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
