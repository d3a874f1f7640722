import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { Kysely } from 'kysely';
import { appendEntries } from '../../audit/append-entries.sql.js';
import { skipDeadLetter } from '../../lanes/skip-dead-letter.sql.js';
import { WakeUp } from '../../runtime/wake-up.js';
import type { AdminPrincipal } from '../access/admin-principal.js';
import { adminEntry } from '../admin-entry.js';
import { selectLanes, type ListedLane } from './select-lanes.sql.js';

export type SkipResult = { kind: 'skipped'; lane: ListedLane } | { kind: 'not-found' } | { kind: 'not-blocked' };

/** Lets a blocked lane go on behind its dead letter, with who and why in the ledger. */
@Injectable()
export class LaneSkipper {
  constructor(
    private readonly em: EntityManager,
    private readonly wakeUp: WakeUp,
  ) {}

  async skip(principal: AdminPrincipal, laneId: string, reason: string): Promise<SkipResult> {
    const result = await this.em.fork().transactional((em) => this.unblock(em, principal, laneId, reason));
    if (result.kind === 'skipped') {
      this.wakeUp.nudge();
      this.wakeUp.published();
    }
    return result;
  }

  private async unblock(
    em: EntityManager,
    principal: AdminPrincipal,
    laneId: string,
    reason: string,
  ): Promise<SkipResult> {
    const trx: Kysely<unknown> = em.getKysely();
    const find = () => selectLanes(trx, { laneId, ...principal.tenantFilter(), limit: 1 });
    const [lane] = await find();
    if (!lane) {
      return { kind: 'not-found' };
    }
    const deadLetter = await skipDeadLetter(trx, laneId);
    if (!deadLetter) {
      return { kind: 'not-blocked' };
    }
    const { tenantId, endpointId, streamKey } = lane;
    const detail = { laneId, streamKey };
    await appendEntries(trx, [
      adminEntry(principal, { kind: 'lane-skipped', reason, tenantId, endpointId, ...deadLetter, detail }),
    ]);
    const [skipped] = await find();
    return skipped ? { kind: 'skipped', lane: skipped } : { kind: 'not-found' };
  }
}
