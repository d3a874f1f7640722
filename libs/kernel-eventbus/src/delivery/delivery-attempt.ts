import { Injectable, Logger } from '@nestjs/common';
import { CircuitBreaker } from '../circuit/circuit-breaker.js';
import { EventBusConfig } from '../eventbus.options.js';
import { OutgoingHttp } from '../outgoing/outgoing-http.js';
import { Chance } from '../runtime/chance.js';
import { Clock } from '../runtime/clock.js';
import { StageHooks } from '../runtime/stage-hooks.js';
import { backoffMs } from './backoff.js';
import type { ClaimedDelivery } from './claimed-delivery.js';
import { GoneEndpoints } from './gone-endpoints.js';
import { SendGate } from './send-gate.js';
import { abandonDelivery, deferDelivery, settleAttempt, type Settlement } from './settlement.js';
import { WebhookPreparer, type PreparedWebhook } from './webhook-preparer.js';

const GONE = 410;

/** A delivery whose worker died so often while it held nothing else is what kills them. */
const MAX_LONELY_DEATHS = 3;

/** One attempt: redact, sign, send, judge. Reads and decides; the recorder writes what it returns. */
@Injectable()
export class DeliveryAttempt {
  readonly #logger = new Logger(DeliveryAttempt.name);

  constructor(
    private readonly preparer: WebhookPreparer,
    private readonly http: OutgoingHttp,
    private readonly gate: SendGate,
    private readonly config: EventBusConfig,
    private readonly chance: Chance,
    private readonly circuits: CircuitBreaker,
    private readonly clock: Clock,
    private readonly hooks: StageHooks,
    private readonly goneEndpoints: GoneEndpoints,
  ) {}

  async perform(delivery: ClaimedDelivery, signal: AbortSignal): Promise<Settlement> {
    this.hooks.reached('claimed');
    if (delivery.isDeleted) {
      return abandonDelivery(delivery, 'endpoint_deleted');
    }
    if (delivery.lonelyDeaths >= MAX_LONELY_DEATHS) {
      return abandonDelivery(delivery, 'poison');
    }
    const webhook = await this.preparer.prepare({ ...delivery, attempt: delivery.attempts + 1 });
    if (webhook.kind === 'fault') {
      this.#logger.error({
        msg: 'delivery deferred',
        ...idsOf(delivery),
        errorClass: webhook.errorClass,
        error: webhook.error,
      });
      return deferDelivery(delivery, webhook, this.delayAfter(timesDeferred(delivery) + 1));
    }
    return this.send(delivery, webhook, signal);
  }

  private async send(delivery: ClaimedDelivery, webhook: PreparedWebhook, signal: AbortSignal): Promise<Settlement> {
    const attempt = delivery.attempts + 1;
    const { headers, body } = webhook;
    this.hooks.reached('prepared');
    const result = await this.gate.pass(delivery, () =>
      this.http.post({ url: delivery.url, headers, body, timeoutMs: this.config.timeoutMs, signal }),
    );
    this.hooks.reached('sent');
    const outcome = this.config.judge(result, {
      attempt,
      retry: this.config.retry,
      fraction: this.chance.fraction(),
      now: this.clock.now(),
    });
    if (!signal.aborted) {
      await this.circuits.hear(delivery, outcome);
      if (outcome.statusCode === GONE) {
        await this.goneEndpoints.disable(delivery);
      }
    }
    this.#logger.log({
      msg: 'delivery attempt',
      ...idsOf(delivery),
      attempt,
      outcome: outcome.kind,
      statusCode: outcome.statusCode,
      latencyMs: result.latencyMs,
      ...(outcome.kind !== 'delivered' && { errorClass: outcome.errorClass }),
    });
    this.hooks.reached('judged');
    return settleAttempt(delivery, outcome, {
      webhook,
      latencyMs: result.latencyMs,
      responseExcerpt: result.kind === 'response' ? result.bodyExcerpt : null,
    });
  }

  private delayAfter(failures: number): number {
    return backoffMs(failures, this.config.retry, this.chance.fraction());
  }
}

/** Each time it was taken without an attempt that counts put it off once more. */
function timesDeferred({ leaseEpoch, attempts }: ClaimedDelivery): number {
  return Math.max(0, leaseEpoch - attempts - 1);
}

function idsOf({ deliveryId, eventId, endpointId, tenantId, type }: ClaimedDelivery) {
  return { deliveryId, eventId, endpointId, tenantId, type };
}
