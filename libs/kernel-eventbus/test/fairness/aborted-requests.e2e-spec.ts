import { waitFor } from '@kernel/eventbus/testing';
import { AdminApi, TYPE, type AdminClient } from '@kernel/test-support/admin-api';
import { WakeUp } from '../../src/runtime/wake-up.js';
import { HangingReceiver } from './hanging-receiver.js';

describe.each<'none' | 'stream'>(['none', 'stream'])('requests in flight, ordering %s', (ordering) => {
  let api: AdminApi;
  let receiver: HangingReceiver;
  let tenant: { tenantId: string; client: AdminClient };
  beforeEach(async () => {
    api = await AdminApi.start({ role: 'all', concurrency: 4, shutdownTimeoutMs: 1 });
    receiver = await HangingReceiver.start();
    tenant = await api.tenantAdmin();
  });
  afterEach(async () => {
    await api.close();
    await receiver.stop();
  });

  const inFlight = async (count = 1) => {
    const endpoint = await api.createEndpoint(tenant.tenantId, { url: receiver.url, ordering, timeoutMs: 300_000 });
    for (let n = 0; n < count; n++) {
      await api.publish(tenant.tenantId, { streamKey: `invoice:${n}` });
    }
    await waitFor(() => receiver.count === count, 'the requests to be in flight');
    return endpoint['endpointId']!;
  };
  const rows = () =>
    api.kernel.database.query(
      `select status, attempts, dead_letter_reason, leased_by from kernel_webhook_delivery order by delivery_id`,
    );
  const rowsAre = (expected: object[]) =>
    waitFor(
      async () => {
        const found = await rows();
        return JSON.stringify(found) === JSON.stringify(expected) && found;
      },
      `deliveries like ${JSON.stringify(expected)}`,
    );

  it('end when their endpoint is deleted', async () => {
    const endpointId = await inFlight(2);
    await tenant.client.delete(`/endpoints/${endpointId}`).expect(204);
    await waitFor(() => receiver.cut === 2, 'the requests to be cut');
    const dead = { status: 'DLQ', attempts: 0, dead_letter_reason: 'endpoint_deleted', leased_by: null };
    await rowsAre([dead, dead]);
  });

  it('end after a moment when their endpoint is disabled, use up no attempt, and go out again when it is enabled', async () => {
    const endpointId = await inFlight();
    await tenant.client.patch(`/endpoints/${endpointId}`, { isEnabled: false }).expect(200);
    await waitFor(() => receiver.cut === 1, 'the request to be cut');
    await rowsAre([{ status: 'PENDING', attempts: 0, dead_letter_reason: null, leased_by: null }]);

    await tenant.client.patch(`/endpoints/${endpointId}`, { isEnabled: true }).expect(200);
    await waitFor(() => receiver.count === 2, 'the delivery to be sent again');
    receiver.answer();
    await rowsAre([{ status: 'DELIVERED', attempts: 1, dead_letter_reason: null, leased_by: null }]);
  });

  it('count when they are answered within that moment', async () => {
    const endpointId = await inFlight();
    const stop = api.kernel.app.get(WakeUp).onEndpointChanged(() => {
      stop();
      receiver.answer();
    });
    await tenant.client.patch(`/endpoints/${endpointId}`, { isEnabled: false }).expect(200);
    await rowsAre([{ status: 'DELIVERED', attempts: 1, dead_letter_reason: null, leased_by: null }]);
    expect(receiver.cut).toBe(0);
  });

  it('go on when their endpoint is changed otherwise, or disabled because it is gone', async () => {
    const endpointId = await inFlight(2);
    await tenant.client.patch(`/endpoints/${endpointId}`, { name: 'renamed' }).expect(200);
    receiver.answer(410);
    await waitFor(async () => {
      const { body } = await tenant.client.get(`/endpoints/${endpointId}`).expect(200);
      return body.isEnabled === false;
    }, 'the endpoint to be disabled');
    receiver.answer();
    await waitFor(
      async () =>
        (await rows())
          .map((row) => row['status'])
          .sort()
          .join() === 'DELIVERED,DLQ',
      'both outcomes',
    );
    expect(receiver.cut).toBe(0);
  });

  it('of an endpoint are limited where a tenant admin sets the limits', async () => {
    const settings = { tenantId: tenant.tenantId, url: 'https://example.com/', subscribedTypes: [TYPE], ordering };
    const { body } = await tenant.client
      .post('/endpoints', { ...settings, maxInFlight: 1_000, timeoutMs: 300_000 })
      .expect(400);
    expect(body.errors).toEqual([
      { path: 'timeoutMs', message: '300000 is too high: at most 30000, only an operator may set more' },
      { path: 'maxInFlight', message: '1000 is too high: at most 32, only an operator may set more' },
    ]);
    const endpointId = await inFlight();
    await tenant.client.patch(`/endpoints/${endpointId}`, { maxInFlight: 33 }).expect(400);
    await tenant.client.patch(`/endpoints/${endpointId}`, { maxInFlight: 32, timeoutMs: 300_000 }).expect(200);
    await api.operator.patch(`/endpoints/${endpointId}`, { maxInFlight: 1_000 }).expect(200);
  });
});
