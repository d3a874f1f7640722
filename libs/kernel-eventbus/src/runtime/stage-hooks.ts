import { Injectable } from '@nestjs/common';

/**
 * Points between the stages of the pipeline, in order. If an event is sent while its delivery is being written,
 * `routed` runs concurrently with the points after it.
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

/** Called at each point. Does nothing; tests replace it to stop or kill the process there. */
@Injectable()
export class StageHooks {
  reached(_stage: Stage): void {}
}
