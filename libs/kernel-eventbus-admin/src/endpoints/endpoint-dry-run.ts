import { Injectable } from '@nestjs/common';
import { describeVerdict, JudgedEvent, SubscriptionJudge, type Subscriber, TenantScope } from '@kernel/eventbus/engine';
import { LoopTurns } from '@kernel/runtime';
import type { AdminPrincipal } from '../access/admin-principal.js';
import { selectEventPage, type EventPosition, type StoredEvent } from '../events/events.sql.js';
import { DRY_RUN_EVENTS } from './dry-run.dto.js';

/** An existing endpoint or a draft. */
export type TriedEndpoint = Subscriber & { tenantId: string };

export interface TriedEvent {
  eventId: string;
  type: string;
  createdAt: string;
  matches: boolean;
  reason: string;
}

/**
 * Evaluates an endpoint's subscriptions on the tenant's latest events. Ignores `isEnabled`, because a dry run usually
 * precedes enabling.
 */
@Injectable()
export class EndpointDryRun {
  constructor(
    private readonly scope: TenantScope,
    private readonly subscriptions: SubscriptionJudge,
  ) {}

  async run(principal: AdminPrincipal, endpoint: TriedEndpoint, since: string | undefined) {
    const items: TriedEvent[] = [];
    const turns = new LoopTurns();
    let before: EventPosition | undefined;
    do {
      const filter = { tenantId: endpoint.tenantId, since, before, limit: DRY_RUN_EVENTS - items.length };
      const { rows, isMore } = await this.scope.read(principal, (em) => selectEventPage(em.getKysely(), filter));
      for (const event of rows) {
        if (turns.isDue) {
          await turns.next();
        }
        items.push(await this.try(endpoint, event, turns));
      }
      before = isMore ? rows.at(-1) : undefined;
    } while (before && items.length < DRY_RUN_EVENTS);
    return { checked: items.length, matched: items.filter(({ matches }) => matches).length, items };
  }

  private async try(endpoint: TriedEndpoint, event: StoredEvent, turns: LoopTurns): Promise<TriedEvent> {
    const { eventId, type, createdAt, payloadJson } = event;
    const verdict = await this.subscriptions.judge(endpoint, new JudgedEvent(type, payloadJson), turns);
    return {
      eventId,
      type,
      createdAt: new Date(createdAt).toISOString(),
      matches: verdict.isMatch,
      reason: describeVerdict(verdict),
    };
  }
}
