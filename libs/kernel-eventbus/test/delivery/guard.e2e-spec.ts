import { randomUUID } from 'node:crypto';
import { waitFor, WebhookReceiver } from '@kernel/eventbus/testing';
import { AdminApi, TYPE } from '@kernel/test-support/admin-api';

/** URLs that the guard refuses with default options, each for a different reason. */
const refused = (port: number) => [
  `http://127.0.0.1:${port}/`,
  `https://127.0.0.1:${port}/`,
  `https://0x7f000001:${port}/`,
  `https://localhost:${port}/`,
  `https://[::ffff:127.0.0.1]:${port}/`,
  'https://169.254.169.254/latest/meta-data/',
  'https://a@127.0.0.1/',
];

describe('[KER-6] the outgoing guard', () => {
  let api: AdminApi;
  let receiver: WebhookReceiver;
  const tenantId = randomUUID();
  beforeAll(async () => {
    receiver = await WebhookReceiver.start();
    api = await AdminApi.start({ role: 'all', allowHttp: false, allowedCidrs: [], retry: { maxAttempts: 1 } });
  });
  afterAll(async () => {
    await api.close();
    await receiver.stop();
  });

  const urls = () => refused(Number(new URL(receiver.url).port));

  it('refuses at create, and at update, what it would never send to', async () => {
    const { endpointId } = await api.createEndpoint(tenantId, { url: 'https://93.184.215.14/', isEnabled: false });
    for (const url of urls()) {
      const created = await api.operator.post('/endpoints', { tenantId, url, subscribedTypes: [TYPE] }).expect(400);
      expect(created.body.errors).toEqual([{ path: 'url', message: expect.stringMatching(/: (?:use|send) /) }]);
      await api.operator.patch(`/endpoints/${endpointId}`, { url }).expect(400);
    }
    const { body } = await api.operator.get(`/endpoints/${endpointId}`).expect(200);
    expect(body).toMatchObject({ url: 'https://93.184.215.14/' });
  });

  it('refuses at the test and at every attempt what came into the table past the admin API', async () => {
    const endpointIds: string[] = [];
    for (const url of urls()) {
      const { endpointId } = await api.kernel.addEndpoint({ tenantId, url, types: [TYPE] });
      const { body } = await api.operator.post(`/endpoints/${endpointId}/test`).expect(200);
      expect(body).toMatchObject({ delivered: false, statusCode: null, errorClass: 'guard' });
      endpointIds.push(endpointId);
    }

    const { eventId } = await api.publish(tenantId);
    const dead = await waitFor(async () => {
      const { body } = await api.operator.get('/deliveries', { eventId, status: 'DLQ' }).expect(200);
      return body.items.length === endpointIds.length && (body.items as { deliveryId: string; endpointId: string }[]);
    }, 'every delivery in the DLQ');
    expect(dead.map(({ endpointId }) => endpointId).toSorted()).toEqual(endpointIds.toSorted());
    for (const { deliveryId } of dead) {
      const { body } = await api.operator.get(`/deliveries/${deliveryId}`).expect(200);
      expect(body.attemptLog).toEqual([expect.objectContaining({ errorClass: 'guard', statusCode: null })]);
    }
    expect(receiver.received).toEqual([]);
  });
});
