import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { deliveredPerSecond } from '../activity/activity-series.js';
import { type ActivityScope, readActivity, readNow, WorkerCount, TenantScope } from '@kernel/eventbus/engine';
import { measurePresent, PRESENT_CAP } from '../activity/measure-present.sql.js';
import { planByIndexes } from '../activity/plan-by-indexes.js';
import type { AdminPrincipal } from '../access/admin-principal.js';
import type { Now } from './stats.dto.js';

const TWO_MINUTES_MS = 120_000;

/** Current state of the pipeline. */
@Injectable()
export class PresentState {
  constructor(
    private readonly scope: TenantScope,
    private readonly workers: WorkerCount,
  ) {}

  async look(principal: AdminPrincipal, scope: ActivityScope): Promise<Now> {
    const measured = await this.scope.read(principal, (em) => measure(em, scope));
    const workersAlive = await this.scope.hold(principal, () => this.workers.alive());
    return { ...measured, workersAlive, countCap: PRESENT_CAP };
  }
}

function measure(em: EntityManager, scope: ActivityScope): Promise<Omit<Now, 'workersAlive' | 'countCap'>> {
  return planByIndexes(em, async (db) => {
    const nowMs = await readNow(db);
    const minutes = await readActivity(db, scope, { stepSeconds: 60, fromMs: nowMs - TWO_MINUTES_MS });
    return { deliveredPerSecond: deliveredPerSecond(minutes, nowMs), ...(await measurePresent(db, scope)) };
  });
}
