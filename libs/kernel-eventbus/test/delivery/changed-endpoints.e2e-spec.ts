import { randomUUID } from 'node:crypto';
import { waitFor, WebhookReceiver } from '@kernel/eventbus/testing';
import { startKernelApp, type KernelApp } from '@kernel/test-support/kernel-app';
import { EndpointVersions } from '../../src/worker/endpoint-versions.js';
import { WakeUp } from '../../src/runtime/wake-up.js';
import { AdminApi, TYPE } from '@kernel/test-support/admin-api';
import { SlowReceiver } from '@kernel/test-support/slow-receiver';

const EVENTS = 12;

describe.each(['here', 'in another process'])('what a worker %s holds for an endpoint that changes', (where) => {
  let api: AdminApi;
  let worker: KernelApp | undefined;
  beforeAll(async () => {
    const isHere = where === 'here';
    api = await AdminApi.start({ role: isHere ? 'all' : 'api' });
    worker = isHere ? undefined : await startKernelApp({ role: 'worker', database: api.kernel.database });
  });
  afterAll(async () => {
    await worker?.close();
    await api.close();
  });

  let slow: SlowReceiver;
  let elsewhere: WebhookReceiver;
  let tenantId: string;
  let endpointId: string;
  let answer: () => void;
  beforeEach(async () => {
    const mayAnswer = Promise.withResolvers<void>();
    answer = mayAnswer.resolve;
    slow = await SlowReceiver.start(mayAnswer.promise);
    elsewhere = await WebhookReceiver.start();
    tenantId = randomUUID();
  });
  afterEach(async () => {
    answer();
    await slow.stop();
    await elsewhere.stop();
  });

  const rows = (condition: string) =>
    api.kernel.database.query(
      `select from kernel_webhook_delivery d left join kernel_lane l using (lane_id)
       where d.endpoint_id = $1 and (${condition})`,
      [endpointId],
    );
  const count = (wanted: number, condition: string) =>
    waitFor(async () => (await rows(condition)).length === wanted, `${wanted} with ${condition}`);

  /** One unanswered delivery in flight; the others are leased and wait behind it. */
  const holdAll = async (settings: object = {}, streamKey?: string) => {
    ({ endpointId } = (await api.createEndpoint(tenantId, { url: slow.url, maxInFlight: 2, ...settings })) as {
      endpointId: string;
    });
    await api.kernel.em.fork().transactional((em) =>
      api.kernel.outbox.publishAll(
        Array.from({ length: EVENTS }, (_, n) => ({
          tenantId,
          type: TYPE,
          streamKey: streamKey ?? `s:${n}`,
          traceId: 'trace-0001',
          payload: { total: n, secret: 'for us only' },
        })),
        { em },
      ),
    );
    await slow.isAsked;
    await count(EVENTS, streamKey ? 'l.leased_by is not null' : 'd.leased_by is not null');
  };
  /** Returns when the worker has seen the change, which in this app happens before the response. */
  const change = async (changes: object) => {
    const heard = (worker ?? api.kernel).app.get(EndpointVersions);
    const before = heard.count;
    await api.operator.patch(`/endpoints/${endpointId}`, changes).expect(200);
    await (worker ? waitFor(() => heard.hasChanged(endpointId, before), 'the worker to hear of it') : undefined);
    expect(heard.hasChanged(endpointId, before)).toBe(true);
  };

  /**
   * Responds within the grace period of attempts in flight to a disabled endpoint. The worker has released the waiting
   * ones.
   */
  const answerWhenHeard = () => {
    const stop = (worker ?? api.kernel).app.get(WakeUp).onEndpointChanged(() => {
      stop();
      answer();
    });
  };

  it.each([
    ['side by side', {}, undefined, 2],
    ['in a lane', { ordering: 'stream' }, 's:1', 1],
  ])(
    '[KER-6] is not sent once it is disabled, but for what is in flight: %s',
    async (_, settings, streamKey, inFlight) => {
      await holdAll(settings, streamKey);
      await waitFor(() => slow.count === inFlight, 'all that may be in flight');
      answerWhenHeard();
      await change({ isEnabled: false });
      await count(inFlight, `d.status = 'DELIVERED'`);
      await count(
        EVENTS - inFlight,
        `d.status = 'PENDING' and d.leased_by is null and l.leased_by is null
      and (d.is_parked or l.is_parked)`,
      );
      expect(slow.count).toBe(inFlight);

      await change({ isEnabled: true });
      await count(EVENTS, `d.status = 'DELIVERED' and d.attempts = 1`);
      expect(slow.count).toBe(EVENTS);
    },
  );

  it('[KER-6] goes where the endpoint is now, and as little as an external one gets', async () => {
    await holdAll({ isExternal: false });
    await waitFor(() => slow.count === 2, 'all that may be in flight');
    await change({ url: elsewhere.url, isExternal: true });
    await count(2, `d.leased_by is not null and d.lease_epoch = 1`);
    answer();
    await count(EVENTS, `d.status = 'DELIVERED'`);
    expect(slow.count).toBe(2);
    expect(elsewhere.received).toHaveLength(EVENTS - 2);
    expect(elsewhere.received.map(({ raw }) => raw.toString()).join()).not.toContain('for us only');
  });
});
