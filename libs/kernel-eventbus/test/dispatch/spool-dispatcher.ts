import type {
  Destination,
  HandedDelivery,
  Handoff,
  HandoffResult,
  WebhookDispatcher,
} from '../../src/dispatch/webhook-dispatcher.js';
import type { OutgoingRequest, OutgoingResult } from '@kernel/outgoing-http';

const TAKEN: OutgoingResult = { kind: 'response', statusCode: 202, headers: {}, bodyExcerpt: 'kept', latencyMs: 1 };

/** A dispatcher with its own URLs: `spool:` and one of its known names. */
export class SpoolDispatcher implements WebhookDispatcher {
  readonly name = 'spool';
  readonly schemes = ['spool:'];
  readonly kept: { delivery: HandedDelivery; request: OutgoingRequest }[] = [];
  readonly checked: Destination[] = [];
  /** Every check of a destination waits for it. */
  gate: Promise<void> = Promise.resolve();
  /** Results of the next deliveries, in order. */
  readonly results: OutgoingResult[] = [];

  async checkDestination(destination: Destination): Promise<string | undefined> {
    this.checked.push(destination);
    await this.gate;
    return /^spool:(orders|invoices)$/.test(destination.url) ? undefined : 'known spools are orders and invoices';
  }

  async dispatch(handoff: Handoff): Promise<HandoffResult> {
    await handoff.invoke(async (request) => {
      this.kept.push({ delivery: handoff.delivery, request });
      return this.results.shift() ?? TAKEN;
    });
    return { status: 'accepted' };
  }
}
