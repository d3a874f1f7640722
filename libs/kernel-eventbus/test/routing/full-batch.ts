import { randomUUID } from 'node:crypto';
import { startKernelApp, type KernelApp } from '../../../../test/support/kernel-app.js';
import type { ClaimedDelivery } from '../../src/delivery/claimed-delivery.js';
import type { Outcome } from '../../src/delivery/judge-attempt.js';
import { settleAttempt, type Settlement } from '../../src/delivery/settlement.js';
import { Slots } from '../../src/delivery/slots.js';
import type { BeginSending } from '../../src/routing/plain-fan-out.js';
import { Router } from '../../src/routing/router.js';

export const NOWHERE = 'http://127.0.0.1:9/hook';

export const room = () => new Slots({ total: 100, perEndpoint: 100, prefetch: 1 }).reserve(100);

export function settled(
  delivery: ClaimedDelivery,
  outcome: Outcome = { kind: 'delivered', statusCode: 204 },
): Settlement {
  return settleAttempt(delivery, outcome, {
    bodySha256: 'b'.repeat(64),
    redaction: { policyId: null, policyVersion: null, removedPaths: null },
    handoff: { dispatcher: 'http', status: 'accepted' },
    latencyMs: 7,
    responseExcerpt: 'it said "so"',
  });
}

/** A router that takes it that more waits than a batch takes, and an endpoint that wants neither order nor a filter. */
export class FullBatch {
  readonly tenantId = randomUUID();
  endpointId = '';

  private constructor(readonly kernel: KernelApp) {}

  static async start(): Promise<FullBatch> {
    const full = new FullBatch(await startKernelApp({ role: 'api' }));
    const { tenantId, kernel } = full;
    ({ endpointId: full.endpointId } = await kernel.addEndpoint({ tenantId, url: NOWHERE, types: ['t.v1'] }));
    await full.publish(1, 'nobody.hears.this.v1');
    expect((await full.router.routeBatch(room(), 1)).routed).toBe(1);
    return full;
  }

  get router(): Router {
    return this.kernel.app.get(Router);
  }

  publish(count: number, type = 't.v1') {
    const { tenantId } = this;
    return this.kernel.em.fork().transactional((em) =>
      this.kernel.outbox.publishAll(
        Array.from({ length: count }, (_, n) => ({
          tenantId,
          type,
          streamKey: `s:${n}`,
          traceId: 'trace-0001',
          aggregateType: 'order',
          aggregateId: `o-${n}`,
          attributes: { n },
        })),
        { em },
      ),
    );
  }

  async route(begin: BeginSending) {
    const { written, ...batch } = await this.router.routeBatch(room(), undefined, undefined, begin);
    return { ...batch, written: written! };
  }

  rows() {
    return this.kernel.database.query<Record<string, unknown>>(
      `select *, next_attempt_at <= now() as is_due, settled_at is not null as is_settled
       from kernel_webhook_delivery order by delivery_id`,
    );
  }

  async statuses() {
    const events = await this.kernel.database.query<{ status: string }>(
      `select status from kernel_outbox_event where type = 't.v1' order by event_id`,
    );
    return events.map(({ status }) => status);
  }

  batches() {
    return this.kernel.database.query('select worker_id, event_ids from kernel_unwritten_batch');
  }
}
