import { randomUUID } from 'node:crypto';
import { waitFor, WebhookReceiver } from '@kernel/eventbus/testing';
import { ConsoleLogger } from '@nestjs/common';
import request from 'supertest';
import { ADMIN, AdminApi, OPERATOR_TOKEN, TYPE } from '@kernel/test-support/admin-api';

const TOKEN = `Bearer ${randomUUID()}`;

describe('the headers of an endpoint', () => {
  let api: AdminApi;
  let receiver: WebhookReceiver;
  let logged = '';
  const tenantId = randomUUID();
  const partner = { secretAlias: 'partner.token' };
  beforeAll(async () => {
    const logger = new ConsoleLogger({ json: true, logLevels: ['verbose', 'debug', 'log', 'warn', 'error'] });
    Object.assign(logger, { printMessages: (messages: unknown[]) => (logged += JSON.stringify(messages)) });
    api = await AdminApi.start({ role: 'all', configure: (app) => app.useLogger(logger) });
    receiver = await WebhookReceiver.start();
    await api.operator.post('/secrets', { tenantId, alias: 'partner.token', value: TOKEN }).expect(201);
  });
  beforeEach(() => {
    receiver.received.length = 0;
  });
  afterAll(async () => {
    await receiver.stop();
    await api.close();
  });

  const create = (headers: object) => api.createEndpoint(tenantId, { url: receiver.url, headers });
  const settled = (endpointId: string) =>
    waitFor(async () => {
      const delivery = await api.deliveryOf(endpointId);
      return delivery.status === 'DELIVERED' && delivery;
    }, 'the delivery');
  const disable = (endpointId: string) => api.operator.patch(`/endpoints/${endpointId}`, { isEnabled: false });

  it('go out with every attempt, credentials by value, under the signature', async () => {
    const { endpointId } = await create({ 'X-Region': 'EU', authorization: partner });
    receiver.answers({ statusCode: 500, body: `you sent ${TOKEN}` }, 204);
    await api.publish(tenantId);
    for (const { headers } of await receiver.receives(2)) {
      expect(headers).toMatchObject({ 'x-region': 'EU', authorization: TOKEN, 'content-type': 'application/json' });
      expect(headers['webhook-signature']).toMatch(/^v1,/);
    }
    const delivery = await settled(endpointId!);
    const { body } = await api.operator.get(`/deliveries/${String(delivery.deliveryId)}`).expect(200);
    expect(body.attemptLog[0].responseExcerpt).toBe('you sent [secret]');
    await disable(endpointId!);
  });

  it('go out with a test-send, and show no more than the alias anywhere', async () => {
    const { endpointId, headers } = await create({ 'x-api-key': partner });
    expect(headers).toEqual({ 'x-api-key': partner });
    await api.operator.post(`/endpoints/${endpointId}/test`).expect(200);
    expect(receiver.received[0]!.headers['x-api-key']).toBe(TOKEN);
    const answers = await Promise.all(
      ['/endpoints', `/endpoints/${endpointId}`, '/audit'].map((path) => api.operator.get(path).expect(200)),
    );
    const stored = await api.kernel.database.query(
      'select (select json_agg(p) from kernel_webhook_endpoint p), (select json_agg(l) from kernel_ledger_entry l)',
    );
    const everything = JSON.stringify([answers.map(({ body }) => body as unknown), stored]) + logged;
    expect(everything).toContain('partner.token');
    expect(everything).not.toContain(TOKEN.slice(7));
    expect(logged).toContain('delivery attempt');
    await disable(endpointId!);
  });

  it('change by PATCH as a whole, and that is in the ledger', async () => {
    const { endpointId } = await create({ 'x-one': '1', 'x-two': '2' });
    const { body } = await api.operator.patch(`/endpoints/${endpointId}`, { headers: { 'X-Two': '3' } }).expect(200);
    expect(body.headers).toEqual({ 'x-two': '3' });
    await api.operator.post(`/endpoints/${endpointId}/test`).expect(200);
    expect(receiver.received[0]!.headers).toMatchObject({ 'x-two': '3' });
    expect(receiver.received[0]!.headers).not.toHaveProperty('x-one');
    expect((await api.ledger('endpoint-updated')).map(({ detail }) => detail)).toContainEqual({
      before: { headers: { 'x-one': '1', 'x-two': '2' } },
      after: { headers: { 'x-two': '3' } },
    });
    await disable(endpointId!);
  });

  it('wait for a credential that is gone: nothing is sent, no attempt is used', async () => {
    await api.operator.post('/secrets', { tenantId, alias: 'short.lived', value: TOKEN }).expect(201);
    const { endpointId } = await create({ authorization: { secretAlias: 'short.lived' } });
    await api.operator.delete('/secrets/short.lived/versions/1').expect(204);
    await api.publish(tenantId);
    const deferred = await waitFor(async () => {
      const [row] = await api.kernel.database.query<{ error_class: string }>(
        'select status, attempts, error_class from kernel_webhook_delivery where endpoint_id = $1',
        [endpointId],
      );
      return row?.error_class === 'secret_unavailable' && row;
    }, 'the delivery to be deferred');
    expect(deferred).toMatchObject({ status: 'PENDING', attempts: 0 });
    expect(receiver.received).toEqual([]);
    await api.operator.post('/secrets', { tenantId, alias: 'short.lived', value: 'Bearer new' }).expect(201);
    const [webhook] = await receiver.receives(1);
    expect(webhook!.headers.authorization).toBe('Bearer new');
    expect(await settled(endpointId!)).toMatchObject({ attempts: 1 });
    await disable(endpointId!);
  });

  it.each([
    ['a reserved name', { 'Webhook-Id': 'x' }, 'headers.Webhook-Id'],
    ['LF in a value', { 'x-a': 'a\nb: c' }, 'headers.x-a'],
    ['CR in a name', { 'x-a\r': 'a' }, 'headers.x-a\r'],
    ['a credential in the clear', { Authorization: TOKEN }, 'headers.Authorization'],
    ['one name twice', { 'X-A': '1', 'x-a': '2' }, 'headers.X-A'],
    ['an unknown alias', { cookie: { secretAlias: 'no.such' } }, 'headers.cookie.secretAlias'],
    ['a secret for an alias', { cookie: { secretAlias: 'whsec_abc' } }, 'headers.cookie'],
    ['more than an alias', { cookie: { secretAlias: 'abc', value: 'x' } }, 'headers.cookie'],
    ['a number', { 'x-a': 1 }, 'headers.x-a'],
    ['a list', ['x-a'], 'headers'],
    ['too many', Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`x-${at}`, '1'])), 'headers'],
  ])('are refused with %s, and nothing changes', async (_, headers, path) => {
    const { endpointId } = await create({});
    const before = await api.countRows();
    const settings = { tenantId, url: receiver.url, subscribedTypes: [TYPE], headers };
    for (const refused of [
      await api.operator.post('/endpoints', settings).expect(400),
      await api.operator.patch(`/endpoints/${endpointId}`, { headers }).expect(400),
    ]) {
      const paths = (refused.body.errors as { path: string }[]).map((error) => error.path);
      expect(paths.some((one) => one.startsWith(path))).toBe(true);
      expect(JSON.stringify(refused.body)).not.toContain(TOKEN.slice(7));
    }
    expect(await api.countRows()).toEqual(before);
    await disable(endpointId!);
  });

  it('[KER-6c] take no secret that signs, nor a credential of another tenant', async () => {
    const { signingSecretAlias, endpointId } = await create({});
    const other = await api.tenantAdmin();
    await other.client.post('/secrets', { tenantId: other.tenantId, alias: 'theirs', value: 'x-1' }).expect(201);
    for (const secretAlias of [signingSecretAlias, 'theirs']) {
      await api.operator.patch(`/endpoints/${endpointId}`, { headers: { 'x-key': { secretAlias } } }).expect(400);
    }
    await disable(endpointId!);
  });

  it('are refused with a name that objects have of themselves', async () => {
    const { endpointId } = await create({});
    const { body } = await request(api.url)
      .patch(`${ADMIN}/endpoints/${endpointId}`)
      .set('authorization', `Bearer ${OPERATOR_TOKEN}`)
      .set('content-type', 'application/json')
      .send('{"headers":{"__proto__":"x"}}')
      .expect(400);
    expect(body.errors).toMatchObject([{ path: 'headers.__proto__' }]);
    await disable(endpointId!);
  });
});
