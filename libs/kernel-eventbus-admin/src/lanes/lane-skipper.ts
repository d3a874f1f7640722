import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { Kysely } from 'kysely';
import { appendEntries } from '@kernel/ledger';
import { skipDeadLetter, WakeUp, TenantScope, callerEntry } from '@kernel/eventbus/engine';
import type { AdminPrincipal } from '../access/admin-principal.js';
import { selectLanes, type ListedLane } from './select-lanes.sql.js';

export type SkipResult = { kind: 'skipped'; lane: ListedLane } | { kind: 'not-blocked' };

/** Unblocks a lane by skipping its dead letter, and records actor and reason in the ledger. */
@Injectable()
export class LaneSkipper {
  constructor(
    private readonly scope: TenantScope,
    private readonly wakeUp: WakeUp,
  ) {}

  /** Takes a lane that the caller found, and therefore may see. */
  async skip(principal: AdminPrincipal, found: ListedLane, reason: string): Promise<SkipResult> {
    const result = await this.scope.write(principal, (em) => this.unblock(em, principal, found, reason));
    if (result.kind === 'skipped') {
      this.wakeUp.nudge();
      this.wakeUp.published();
    }
    return result;
  }

  private async unblock(
    em: EntityManager,
    principal: AdminPrincipal,
    { laneId, tenantId, endpointId, streamKey }: ListedLane,
    reason: string,
  ): Promise<SkipResult> {
    const trx: Kysely<unknown> = em.getKysely();
    const deadLetter = await skipDeadLetter(trx, laneId);
    if (!deadLetter) {
      return { kind: 'not-blocked' };
    }
    const detail = { laneId, streamKey, before: { blockedBy: deadLetter.deliveryId }, after: { blockedBy: null } };
    await appendEntries(trx, [
      callerEntry(principal, { kind: 'lane-skipped', reason, tenantId, endpointId, ...deadLetter, detail }),
    ]);
    const [lane] = await selectLanes(trx, { laneId, limit: 1 });
    return lane ? { kind: 'skipped', lane } : { kind: 'not-blocked' };
  }
}
