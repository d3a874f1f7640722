import { writeFileSync } from 'node:fs';
import { StageHooks, type Stage } from '@kernel/eventbus/engine';

export interface KillPoint {
  stage: Stage;
  /** Dies when the stage is reached for the n-th time. */
  after: number;
  /** Written right before the death: proof that it happened here. */
  markerFile: string;
}

export class KillingHooks extends StageHooks {
  readonly #killPoint: KillPoint;
  #times = 0;

  constructor(killPoint: KillPoint) {
    super();
    this.#killPoint = killPoint;
  }

  override reached(stage: Stage): void {
    if (stage === this.#killPoint.stage && ++this.#times === this.#killPoint.after) {
      writeFileSync(this.#killPoint.markerFile, stage);
      process.kill(process.pid, 'SIGKILL');
    }
  }
}
