import { Injectable } from '@nestjs/common';
import {
  WebhookBody,
  type OutgoingBody,
  type Redaction,
  describeVerdict,
  JudgedEvent,
  SubscriptionJudge,
  TenantScope,
} from '@kernel/eventbus/engine';
import { Clock, LoopTurns } from '@kernel/runtime';
import type { AdminPrincipal } from '../access/admin-principal.js';
import { firstPaths } from '../listed-paths.js';
import { PREVIEW_ENDPOINTS } from './preview.dto.js';
import type { StoredEvent } from './events.sql.js';
import { selectPreviewedEndpoints, type PreviewedEndpoint } from './select-previewed-endpoints.sql.js';

/**
 * Shows which endpoints of the tenant would get an event, and with which body, under the current settings. Sends and
 * writes nothing.
 */
@Injectable()
export class EventPreview {
  constructor(
    private readonly scope: TenantScope,
    private readonly subscriptions: SubscriptionJudge,
    private readonly body: WebhookBody,
    private readonly clock: Clock,
  ) {}

  /** Items are produced lazily. */
  async preview(principal: AdminPrincipal, event: StoredEvent) {
    const endpoints = await this.scope.read(principal, (em) =>
      selectPreviewedEndpoints(em.getKysely(), event, PREVIEW_ENDPOINTS),
    );
    return { endpoints: endpoints[0]?.count ?? 0, items: this.items(endpoints, event) };
  }

  private async *items(endpoints: readonly PreviewedEndpoint[], event: StoredEvent) {
    const judged = new JudgedEvent(event.type, event.payloadJson);
    const bodyFor = this.bodiesOf(event);
    const turns = new LoopTurns();
    for (const endpoint of endpoints) {
      await turns.nextIfDue();
      const { endpointId, name } = endpoint;
      const verdict = await this.judge(endpoint, judged, turns);
      yield { endpointId, name, ...verdict, ...toResponse(await bodyFor(endpoint)) };
    }
  }

  /**
   * Redacts the payload once for all external endpoints. A routed event keeps its `dispatchedAt`, and therefore its
   * bytes.
   */
  private bodiesOf(event: StoredEvent): (endpoint: PreviewedEndpoint) => Promise<OutgoingBody> {
    const now = this.clock.now();
    const redacted = new Map<boolean, ReturnType<WebhookBody['prepare']>>();
    return async ({ isExternal, dispatchedAt }) => {
      const prepared = redacted.get(isExternal) ?? this.body.prepare({ ...event, isExternal });
      redacted.set(isExternal, prepared);
      return (await prepared)(new Date(dispatchedAt ?? now).toISOString());
    };
  }

  private async judge(endpoint: PreviewedEndpoint, event: JudgedEvent, turns: LoopTurns) {
    const { endpointId, isSubscribed, isEnabled, subscriptions } = endpoint;
    const subscriber = { endpointId, subscribedTypes: isSubscribed ? [event.type] : [], subscriptions };
    const verdict = await this.subscriptions.judge(subscriber, event, turns);
    if (verdict.isMatch && !isEnabled) {
      return { matches: false, reason: 'endpoint disabled' };
    }
    return { matches: verdict.isMatch, reason: describeVerdict(verdict) };
  }
}

function toResponse({ body, redaction, ...told }: OutgoingBody) {
  const removed = firstPaths(told.removed, ({ path }) => path);
  const changed = firstPaths(told.changed, ({ path }) => path);
  const isCut = removed.length < told.removed.length || changed.length < told.changed.length;
  return { body, policy: toPolicy(redaction), removed, changed, ...(isCut && { isCut: true as const }) };
}

function toPolicy({ policyId, policyVersion }: Redaction) {
  return policyVersion === null ? null : { policyId, version: policyVersion };
}
