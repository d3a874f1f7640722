import { raw, type EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { WebhookBody, type Redaction } from '../../delivery/webhook-body.js';
import { WebhookDeliveryEntity } from '../../delivery/webhook-delivery.entity.js';
import { describeVerdict } from '../../routing/describe-verdict.js';
import { parseOnce } from '../../routing/parse-once.js';
import { SubscriptionJudge, type JudgedEvent } from '../../routing/subscription-judge.js';
import { WebhookEndpointEntity, type WebhookEndpointRow } from '../../routing/webhook-endpoint.entity.js';
import { Clock } from '../../runtime/clock.js';
import type { AdminPrincipal } from '../access/admin-principal.js';
import { TenantScope } from '../access/tenant-scope.js';
import { PREVIEW_ENDPOINTS } from './preview.dto.js';
import type { StoredEvent } from './select-events.sql.js';

/** What would become of an event at the endpoints of its tenant, as things are now. Sends and writes nothing. */
@Injectable()
export class EventPreview {
  constructor(
    private readonly scope: TenantScope,
    private readonly subscriptions: SubscriptionJudge,
    private readonly body: WebhookBody,
    private readonly clock: Clock,
  ) {}

  async preview(principal: AdminPrincipal, event: StoredEvent) {
    const { endpoints, count, dispatchTimes } = await this.scope.read(principal, async (em) => {
      const [endpoints, count] = await em.findAndCount(
        WebhookEndpointEntity,
        { tenantId: event.tenantId, deletedAt: null },
        {
          orderBy: [{ [raw('? = any(subscribed_types)', [event.type])]: 'desc' }, { endpointId: 'desc' }],
          limit: PREVIEW_ENDPOINTS,
        },
      );
      return { endpoints, count, dispatchTimes: await this.dispatchTimes(em, event) };
    });
    const judged = { type: event.type, payload: parseOnce(event.payloadJson) };
    const items = await Promise.all(
      endpoints.map(async (endpoint) => {
        const dispatchedAt = dispatchTimes.get(endpoint.endpointId) ?? this.clock.now();
        const { body, removed, changed, redaction } = await this.body.build({
          ...event,
          isExternal: endpoint.isExternal,
          dispatchedAt: dispatchedAt.toISOString(),
        });
        const { endpointId, name } = endpoint;
        const verdict = this.judge(endpoint, judged);
        return { endpointId, name: name ?? null, ...verdict, body, policy: toPolicy(redaction), removed, changed };
      }),
    );
    return { endpoints: count, items };
  }

  /** What was routed keeps the time of that, and so its bytes. */
  private async dispatchTimes(em: EntityManager, { eventId }: StoredEvent): Promise<Map<string, Date>> {
    const deliveries = await em.find(WebhookDeliveryEntity, { eventId }, { fields: ['endpointId', 'dispatchedAt'] });
    return new Map(deliveries.map(({ endpointId, dispatchedAt }) => [endpointId, dispatchedAt]));
  }

  private judge(endpoint: WebhookEndpointRow, event: JudgedEvent): { matches: boolean; reason: string } {
    const verdict = this.subscriptions.judge(endpoint, event);
    if (verdict.isMatch && !endpoint.isEnabled) {
      return { matches: false, reason: 'endpoint disabled' };
    }
    return { matches: verdict.isMatch, reason: describeVerdict(verdict) };
  }
}

function toPolicy({ policyId, policyVersion }: Redaction) {
  return policyVersion === null ? null : { policyId, version: policyVersion };
}
