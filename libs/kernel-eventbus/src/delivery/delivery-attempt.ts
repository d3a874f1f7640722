import { Injectable, Logger } from '@nestjs/common';
import { EventBusConfig } from '../eventbus.options.js';
import { OutgoingHttp } from '../outgoing/outgoing-http.js';
import { Chance } from '../runtime/chance.js';
import { backoffMs } from './backoff.js';
import type { ClaimedDelivery } from './claim-deliveries.sql.js';
import { judgeAttempt } from './judge-attempt.js';
import { abandonDelivery, deferDelivery, settleAttempt, type Settlement } from './settlement.js';
import { WebhookPreparer, type PreparedWebhook } from './webhook-preparer.js';

/** One attempt: redact, sign, send, judge. Reads and decides; the recorder writes what it returns. */
@Injectable()
export class DeliveryAttempt {
  readonly #logger = new Logger(DeliveryAttempt.name);

  constructor(
    private readonly preparer: WebhookPreparer,
    private readonly http: OutgoingHttp,
    private readonly config: EventBusConfig,
    private readonly chance: Chance,
  ) {}

  async perform(delivery: ClaimedDelivery, signal: AbortSignal): Promise<Settlement> {
    if (delivery.isDeleted) {
      return abandonDelivery(delivery);
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
    const result = await this.http.post({ url: delivery.url, headers, body, timeoutMs: this.config.timeoutMs, signal });
    const outcome = judgeAttempt(result, { attempt, retry: this.config.retry, fraction: this.chance.fraction() });
    this.#logger.log({
      msg: 'delivery attempt',
      ...idsOf(delivery),
      attempt,
      outcome: outcome.kind,
      statusCode: outcome.statusCode,
      latencyMs: result.latencyMs,
      ...(outcome.kind !== 'delivered' && { errorClass: outcome.errorClass }),
    });
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
