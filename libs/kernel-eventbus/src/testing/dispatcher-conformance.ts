import type { Handoff, HandoffResult, SendRequest, WebhookDispatcher } from '../dispatch/webhook-dispatcher.js';
import { waitFor, type WaitOptions } from './wait-for.js';

/** A rule for every dispatcher, direct or queued; `check` throws on a violation. */
export interface ConformanceRule {
  id: string;
  title: string;
  /** `patience`: how long to wait for asynchronous effects. */
  check(make: () => WebhookDispatcher, patience?: WaitOptions): Promise<void>;
}

/** A minimal assertion without a test framework. */
function demand(isSo: boolean, message: string): void {
  if (!isSo) {
    throw new Error(message);
  }
}

/** Counts its invocations and ends on demand. */
class ProbeHandoff implements Handoff {
  readonly delivery;
  readonly signal = new AbortController().signal;
  readonly ended = Promise.withResolvers<void>();
  invocations = 0;
  transport: SendRequest | undefined;

  constructor(place = 1) {
    const id = `00000000-0000-4000-8000-${String(place).padStart(12, '0')}`;
    this.delivery = {
      deliveryId: id,
      eventId: id,
      tenantId: id,
      endpointId: id,
      url: 'https://receiver.example/hook',
      type: 'conformance.checked.v1',
      streamKey: 'conformance:1',
      streamSequence: '1',
      previousSequence: null,
      traceId: 'conformance',
      traceParent: null,
      traceState: null,
      attempt: 1,
      replayCount: 0,
      leaseEpoch: 1,
    };
  }

  async invoke(send?: SendRequest): Promise<void> {
    this.invocations++;
    this.transport = send;
    await this.ended.promise;
  }
}

async function handOver(
  dispatcher: WebhookDispatcher,
  handoff: ProbeHandoff,
  patience?: WaitOptions,
): Promise<HandoffResult> {
  const result = dispatcher.dispatch(handoff);
  await waitFor(() => handoff.invocations > 0, `'${dispatcher.name}' to invoke the endpoint`, patience);
  handoff.ended.resolve();
  return result;
}

/** SC-006, SC-008, SC-011: the engine's requirements. Run each rule in your test framework; see docs/extending.md. */
export const dispatcherConformance: readonly ConformanceRule[] = [
  {
    id: 'name',
    title: 'has a name that stays',
    check: async (make) => {
      const [one, other] = [make(), make()];
      demand(typeof one.name === 'string' && one.name.length > 0, 'it has no name');
      demand(one.name === other.name, `it is called '${one.name}' and '${other.name}'`);
    },
  },
  {
    id: 'invokes-once',
    title: 'invokes the endpoint exactly once per handoff, and retries nothing by itself',
    check: async (make, patience) => {
      const handoff = new ProbeHandoff();
      await handOver(make(), handoff, patience);
      await new Promise((resolve) => setImmediate(resolve));
      demand(handoff.invocations === 1, `it invoked the endpoint ${handoff.invocations} times`);
    },
  },
  {
    id: 'telemetry',
    title: 'answers what became of the handoff, and never that it was delivered',
    check: async (make, patience) => {
      const { status } = await handOver(make(), new ProbeHandoff(), patience);
      demand(
        ['accepted', 'enqueued'].includes(status),
        `it answered '${status}' for a delivery that it took: 'accepted' or 'enqueued' is allowed`,
      );
    },
  },
  {
    id: 'accepted-means-invoked',
    title: 'answers `accepted` only after the attempt is over; one that invokes later answers `enqueued`',
    check: async (make, patience) => {
      const handoff = new ProbeHandoff();
      let answered: HandoffResult | undefined;
      const result = make()
        .dispatch(handoff)
        .then((answer) => (answered = answer));
      await waitFor(() => handoff.invocations > 0 || answered !== undefined, 'an invocation or an answer', patience);
      // A promise that is already resolved delivers its answer within this turn of the event loop.
      await new Promise((resolve) => setImmediate(resolve));
      const isEarly = answered?.status === 'accepted';
      handoff.ended.resolve();
      await result;
      demand(!isEarly, "it answered 'accepted' while the attempt was not over");
    },
  },
  {
    id: 'independent',
    title: 'does not let a delivery that hangs keep the next one from being answered',
    check: async (make, patience) => {
      const dispatcher = make();
      const [hanging, next] = [new ProbeHandoff(1), new ProbeHandoff(2)];
      const first = dispatcher.dispatch(hanging);
      next.ended.resolve();
      let isAnswered = false;
      const second = dispatcher.dispatch(next).then(() => (isAnswered = true));
      try {
        await waitFor(() => isAnswered, 'an answer for the next delivery', patience);
      } finally {
        hanging.ended.resolve();
        await Promise.all([first, second]);
      }
    },
  },
  {
    id: 'rejects-clearly',
    title: 'says why, when it rejects',
    check: async (make, patience) => {
      const dispatcher = make();
      const handoffs = Array.from({ length: 200 }, (_, place) => new ProbeHandoff(place));
      const answers = Promise.all(handoffs.map((handoff) => dispatcher.dispatch(handoff)));
      handoffs.forEach((handoff) => handoff.ended.resolve());
      for (const [place, { status, reason }] of (await answers).entries()) {
        if (status === 'rejected') {
          demand(typeof reason === 'string' && reason.length > 0, 'it rejected a delivery without a reason');
          demand(handoffs[place]!.invocations === 0, 'it rejected a delivery and invoked the endpoint all the same');
        }
      }
      await waitFor(
        async () =>
          (await answers).every(({ status }, place) => status === 'rejected' || handoffs[place]!.invocations === 1),
        'everything that it took to be invoked',
        patience,
      );
    },
  },
];
