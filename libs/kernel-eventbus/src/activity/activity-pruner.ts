import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { pruneActivity } from './activity.sql.js';
import { STORED_STEPS } from './stored-steps.js';
import { engineDatabase, UPKEEP_STATEMENT_MS } from '@kernel/runtime';

const BATCH = 5_000;

/** Removes activity sums past their retention. */
@Injectable()
export class ActivityPruner {
  constructor(private readonly em: EntityManager) {}

  async round(signal?: AbortSignal): Promise<number> {
    let pruned = 0;
    for (const step of STORED_STEPS) {
      for (let count = BATCH; count === BATCH && !signal?.aborted;) {
        count = await pruneActivity(engineDatabase(this.em, UPKEEP_STATEMENT_MS), step, BATCH);
        pruned += count;
      }
    }
    return pruned;
  }
}
