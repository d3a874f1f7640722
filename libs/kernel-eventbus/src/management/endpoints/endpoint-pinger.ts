import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { newId, Clock } from '@kernel/runtime';
import { appendEntries, type LedgerEntry } from '@kernel/ledger';
import { DispatchRunner } from '../../dispatch/dispatch-runner.js';
import { EndpointInvoker } from '../../dispatch/endpoint-invoker.js';
import type { InvokedEndpoint } from '../../dispatch/invocation.js';
import { TEST_WEBHOOK_LIMITS } from '../../dispatch/test-webhook-limits.js';
import type { WebhookEndpointRow } from '../../endpoints/webhook-endpoint.entity.js';
import { EventBusConfig } from '../../eventbus.config.js';
import { currentTraceId, newTraceId } from '../../trace/trace-context.js';
import { refusals } from '../../eventbus.refusals.js';
import { TenantPlaces } from '@kernel/outgoing-http';
import type { Caller } from '../../access/caller.js';
import { callerEntry } from '../caller-entry.js';

const PING_TYPE = 'kernel.ping.v1';
const PING_PAYLOAD = JSON.stringify({ message: 'ping' });

export interface PingResult {
  delivered: boolean;
  statusCode: number | null;
  latencyMs: number | null;
  errorClass: string | null;
}

type PingFacts = PingResult &
  Pick<LedgerEntry, 'error' | 'responseExcerpt' | 'bodySha256' | 'policyId' | 'policyVersion'>;

/**
 * Sends one webhook directly, without the outbox, through the endpoint's dispatcher; it is redacted, signed and judged
 * like any other. Only the ledger records it.
 */
@Injectable()
export class EndpointPinger {
  readonly #places = new TenantPlaces(TEST_WEBHOOK_LIMITS);

  constructor(
    private readonly em: EntityManager,
    private readonly dispatches: DispatchRunner,
    private readonly invoker: EndpointInvoker,
    private readonly config: EventBusConfig,
    private readonly clock: Clock,
  ) {}

  async ping(caller: Caller, endpoint: WebhookEndpointRow): Promise<PingResult> {
    const webhookId = newId();
    const { delivered, ...facts } = await this.inTurn(endpoint, () => this.send(endpoint, webhookId));
    await appendEntries(this.em.fork().getKysely(), [
      callerEntry(caller, {
        kind: 'endpoint-tested',
        tenantId: endpoint.tenantId,
        endpointId: endpoint.endpointId,
        eventType: PING_TYPE,
        detail: { webhookId, delivered },
        ...facts,
      }),
    ]);
    const { statusCode, latencyMs, errorClass } = facts;
    return { delivered, statusCode, latencyMs, errorClass };
  }

  /** Waits for a free place at most as long as the webhook's own timeout. */
  private async inTurn<T>({ tenantId, timeoutMs }: WebhookEndpointRow, send: () => Promise<T>): Promise<T> {
    const patience = AbortSignal.timeout(timeoutMs ?? this.config.timeoutMs);
    await this.#places.take(tenantId, patience).catch(() => {
      throw refusals.tooManyTests();
    });
    try {
      return await send();
    } finally {
      this.#places.release(tenantId);
    }
  }

  private async send(endpoint: WebhookEndpointRow, webhookId: string): Promise<PingFacts> {
    const now = this.clock.now().toISOString();
    const request = {
      eventId: webhookId,
      tenantId: endpoint.tenantId,
      endpointId: endpoint.endpointId,
      streamKey: `endpoint:${endpoint.endpointId}`,
      type: PING_TYPE,
      occurredAt: now,
      dispatchedAt: now,
      traceId: currentTraceId() ?? newTraceId(),
      traceParent: null,
      traceState: null,
      actorId: null,
      payloadJson: PING_PAYLOAD,
      deliveryId: newId(),
      attempts: 0,
      replayCount: 0,
      leaseEpoch: 1,
      streamSequence: null,
      previousSequence: null,
      endpoint: { ...endpoint, timeoutMs: endpoint.timeoutMs ?? null, dispatcher: endpoint.dispatcher ?? null },
    };
    const { signal } = new AbortController();
    const { invocation } = await this.dispatches.run(request, signal, (send) =>
      this.invoker.invoke(request, signal, send),
    );
    if (invocation.kind === 'deferred') {
      const { errorClass, error } = invocation;
      return { delivered: false, statusCode: null, latencyMs: null, errorClass, error };
    }
    return this.judge(invocation);
  }

  private judge({ result, bodySha256, redaction }: InvokedEndpoint): PingFacts {
    const { retry, judge } = this.config;
    const outcome = judge(result, { attempt: 1, retry, fraction: 0, now: this.clock.now() });
    const failure = outcome.kind === 'delivered' ? null : outcome;
    return {
      delivered: !failure,
      statusCode: outcome.statusCode,
      latencyMs: result.latencyMs,
      errorClass: failure?.errorClass ?? null,
      error: failure?.error,
      responseExcerpt: result.kind === 'response' ? result.bodyExcerpt : null,
      bodySha256,
      ...redaction,
    };
  }
}
