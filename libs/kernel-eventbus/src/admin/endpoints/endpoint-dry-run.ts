import { Injectable } from '@nestjs/common';
import { describeVerdict } from '../../routing/describe-verdict.js';
import { parseOnce } from '../../routing/parse-once.js';
import { SubscriptionJudge, type Subscriber } from '../../routing/subscription-judge.js';
import type { AdminPrincipal } from '../access/admin-principal.js';
import { TenantScope } from '../access/tenant-scope.js';
import { selectEvents } from '../events/select-events.sql.js';
import { DRY_RUN_EVENTS } from './dry-run.dto.js';

/** One that exists, or a draft of one. */
export type TriedEndpoint = Subscriber & { tenantId: string };

/**
 * Tries an endpoint's subscriptions on what its tenant published last. Whether it is enabled does not matter: one tries
 * before one enables.
 */
@Injectable()
export class EndpointDryRun {
  constructor(
    private readonly scope: TenantScope,
    private readonly subscriptions: SubscriptionJudge,
  ) {}

  async run(principal: AdminPrincipal, endpoint: TriedEndpoint, since: string | undefined) {
    const filter = { tenantId: endpoint.tenantId, since, limit: DRY_RUN_EVENTS };
    const events = await this.scope.read(principal, (em) => selectEvents(em.getKysely(), filter));
    const items = events.map(({ eventId, type, createdAt, payloadJson }) => {
      const verdict = this.subscriptions.judge(endpoint, { type, payload: parseOnce(payloadJson) });
      return {
        eventId,
        type,
        createdAt: new Date(createdAt).toISOString(),
        matches: verdict.isMatch,
        reason: describeVerdict(verdict),
      };
    });
    return { checked: items.length, matched: items.filter(({ matches }) => matches).length, items };
  }
}
