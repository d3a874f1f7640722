import { randomUUID } from 'node:crypto';
import { DispatcherConfigurationError } from '../../src/eventbus.errors.js';
import { type OutgoingResult } from '@kernel/outgoing-http';
import { type WebhookDispatcher } from '../../src/dispatch/webhook-dispatcher.js';
import { waitFor } from '@kernel/eventbus/testing';
import { startKernelApp } from '@kernel/test-support/kernel-app';
import { AdminApi, TYPE } from '@kernel/test-support/admin-api';
import { SpoolDispatcher } from './spool-dispatcher.js';

const HOOK = 'http://127.0.0.1:9/hook';
const failure = (errorClass: 'unavailable' | 'refused'): OutgoingResult => ({
  kind: 'failure',
  errorClass,
  message: 'the spool is full',
  latencyMs: 1,
});

describe('a dispatcher with destinations of its own', () => {
  const tenantId = randomUUID();
  const spool = new SpoolDispatcher();
  let api: AdminApi;
  let redirectTo: string | undefined;
  beforeAll(async () => {
    api = await AdminApi.start({
      role: 'all',
      dispatchers: [spool],
      invokerMiddleware: [
        {
          name: 'redirect',
          invoke: async ({ request }, next) => {
            request.url = redirectTo ?? request.url;
            return next();
          },
        },
      ],
    });
  });
  afterEach(() => {
    redirectTo = undefined;
    spool.kept.length = 0;
  });
  afterAll(() => api.close());

  const create = (settings: Record<string, unknown> = {}, tenant = tenantId) =>
    api.createEndpoint(tenant, { url: 'spool:orders', dispatcher: 'spool', ...settings });
  const settledDelivery = (endpointId: string, status: string) =>
    waitFor(async () => {
      const delivery = await api.deliveryOf(endpointId);
      return delivery.status === status ? delivery : undefined;
    }, `a delivery of ${endpointId} to be ${status}`);

  it('[FR-012a] [KER-6d] gets the redacted body, the signed headers and what a broker needs to know', async () => {
    const tenant = randomUUID();
    const { endpointId } = await create({ headers: { 'x-lane': 'fast' } }, tenant);
    const { eventId } = await api.publish(tenant, { streamKey: 'invoice:é', payload: { email: 'a@b.example' } });
    const settled = await settledDelivery(endpointId!, 'DELIVERED');
    expect(settled).toMatchObject({ lastStatusCode: 202, attempts: 1 });

    const [{ delivery, request }] = spool.kept as [(typeof spool.kept)[0]];
    expect(delivery).toEqual({
      deliveryId: settled.deliveryId,
      eventId,
      tenantId: tenant,
      endpointId,
      url: 'spool:orders',
      type: TYPE,
      streamKey: 'invoice:é',
      streamSequence: '1',
      previousSequence: null,
      traceId: 'trace-0001',
      traceParent: null,
      traceState: null,
      attempt: 1,
      replayCount: 0,
      leaseEpoch: 1,
    });
    expect(request).toMatchObject({
      url: 'spool:orders',
      timeoutMs: 15_000,
      headers: {
        'webhook-id': eventId,
        'webhook-signature': expect.stringMatching(/^v1,/),
        'x-trace-id': 'trace-0001',
        'x-kernel-stream-sequence': '1',
        'x-lane': 'fast',
      },
    });
    expect(JSON.parse(String(request.body))).toMatchObject({ eventId, payload: {} });
    expect(spool.checked.at(-1)).toEqual({ url: 'spool:orders', tenantId: tenant });
  });

  it('a test webhook goes out by it as well', async () => {
    const { endpointId } = await create();
    const { body } = await api.operator.post(`/endpoints/${endpointId}/test`).expect(200);
    expect(body).toEqual({ delivered: true, statusCode: 202, latencyMs: 1, errorClass: null });
    expect(spool.kept.map(({ delivery }) => delivery.type)).toEqual(['kernel.ping.v1']);

    spool.results.push(failure('unavailable'));
    const failed = await api.operator.post(`/endpoints/${endpointId}/test`).expect(200);
    expect(failed.body).toEqual({ delivered: false, statusCode: null, latencyMs: 1, errorClass: 'unavailable' });
  });

  it.each([
    ['a scheme nobody takes', { url: 'pigeon:roof' }, 'url', "'http' takes https: and http:, 'spool' takes spool:"],
    ['a scheme of another', { url: HOOK }, 'url', "the scheme http: does not fit the dispatcher 'spool'"],
    ['a destination it does not know', { url: 'spool:secrets' }, 'url', 'known spools are orders and invoices'],
    ['credentials', { url: 'spool://me:word@orders' }, 'url', 'credentials belong to the settings of the dispatcher'],
    ['a blank', { url: 'spool:orders ' }, 'url', 'a space or a control character'],
    ['its scheme for HTTP', { dispatcher: 'http' }, 'dispatcher', "does not fit the dispatcher 'http'"],
    ['its scheme for the default', { dispatcher: null }, 'dispatcher', "does not fit the dispatcher 'http'"],
  ])('%s is 400, says what is allowed and changes nothing', async (_what, settings, field, words) => {
    const { endpointId } = await create();
    const before = await api.countRows();
    const wanted = { tenantId, url: 'spool:orders', dispatcher: 'spool', subscribedTypes: [TYPE] };
    const refused = await api.operator.post('/endpoints', { ...wanted, ...settings }).expect(400);
    expect(refused.body.errors).toEqual([{ path: 'url', message: expect.stringContaining(words) }]);
    const kept = await api.operator.patch(`/endpoints/${endpointId}`, settings).expect(400);
    expect(kept.body.errors).toEqual([{ path: field, message: expect.stringContaining(words) }]);
    expect(await api.countRows()).toEqual(before);
    const { body } = await api.operator.get(`/endpoints/${endpointId}`).expect(200);
    expect(body).toMatchObject({ url: 'spool:orders', dispatcher: 'spool' });
  });

  it('both can be changed together, and the guard stays before HTTP', async () => {
    const { endpointId } = await create();
    const path = `/endpoints/${endpointId}`;
    const inside = await api.operator.patch(path, { url: 'https://10.0.0.1/hook', dispatcher: 'http' }).expect(400);
    expect(inside.body.errors).toEqual([{ path: 'url', message: expect.stringContaining('not public') }]);
    await api.operator.patch(path, { url: HOOK, dispatcher: null }).expect(200);
    const asked = spool.checked.length;
    await api.operator.patch(path, { url: 'spool:invoices', dispatcher: 'spool' }).expect(200);
    await api.operator.patch(path, { name: 'renamed' }).expect(200);
    expect(spool.checked).toHaveLength(asked + 1);
  });

  it('a change that crosses another one is refused, where the two do not fit', async () => {
    const { endpointId } = await create();
    const gate = Promise.withResolvers<void>();
    const asked = spool.checked.length;
    spool.gate = gate.promise;
    const slow = api.operator.patch(`/endpoints/${endpointId}`, { url: 'spool:invoices' }).then((answer) => answer);
    await waitFor(() => spool.checked.length > asked, 'the slow change to be checked');
    await api.operator.patch(`/endpoints/${endpointId}`, { url: HOOK, dispatcher: 'http' }).expect(200);
    gate.resolve();
    spool.gate = Promise.resolve();
    expect(await slow).toMatchObject({
      status: 400,
      body: { errors: [{ path: 'url', message: expect.stringContaining("does not fit the dispatcher 'http'") }] },
    });
  });

  it.each([
    ['the stored url', 'spool:gone', undefined, 'known spools are'],
    ['what middleware made of it', 'spool:orders', 'spool:secrets', 'known spools are'],
    ['another scheme', 'spool:orders', 'https://example.com/', "the dispatcher 'spool' takes spool: urls, not https:"],
  ])('every attempt checks %s again, and nothing goes out', async (_what, url, redirected, words) => {
    const tenant = randomUUID();
    redirectTo = redirected;
    const { endpointId } = await create({ retry: { maxAttempts: 2 } }, tenant);
    await api.kernel.database.query('update kernel_webhook_endpoint set url = $1 where endpoint_id = $2', [
      url,
      endpointId,
    ]);
    await api.publish(tenant);
    const dead = await settledDelivery(endpointId!, 'DLQ');
    expect(dead).toMatchObject({ attempts: 2, errorClass: 'guard', lastError: expect.stringContaining(words) });
    expect(spool.kept).toEqual([]);
  });

  it('[ADR-5] what is `refused` goes to the DLQ at once, what is `unavailable` is tried again', async () => {
    const tenant = randomUUID();
    const { endpointId } = await create({}, tenant);
    spool.results.push(failure('unavailable'), failure('refused'));
    await api.publish(tenant);
    expect(await settledDelivery(endpointId!, 'DLQ')).toMatchObject({
      attempts: 2,
      errorClass: 'refused',
      lastError: 'the spool is full',
      deadLetterReason: 'permanent_failure',
    });
  });

  it('a destination that refuses lives: its circuit stays closed', async () => {
    const tenant = randomUUID();
    const { endpointId } = await create({}, tenant);
    const events = 25;
    spool.results.push(...Array<OutgoingResult>(events).fill(failure('refused')));
    for (let place = 0; place < events; place++) {
      await api.publish(tenant);
    }
    const dead = `select 1 from kernel_webhook_delivery where endpoint_id = '${endpointId}' and status = 'DLQ'`;
    await waitFor(async () => (await api.kernel.database.query(dead)).length === events, 'all to be dead letters');
    const open = `select 1 from kernel_endpoint_circuit where endpoint_id = '${endpointId}'`;
    expect(await api.kernel.database.query(open)).toEqual([]);
  });

  it.each([
    ['no scheme', { schemes: [] }, /'bad' takes no scheme: list them like 'queue:'/],
    ['a scheme without its colon', { schemes: ['queue'] }, /'bad' takes the scheme 'queue'/],
    ['urls that nobody vets', { schemes: ['https:', 'queue:'] }, /'bad' takes queue: urls, which nobody vets/],
  ])('[FR-024] the start fails when a dispatcher takes %s', async (_what, parts: Partial<WebhookDispatcher>, words) => {
    const bad = { name: 'bad', dispatch: async () => ({ status: 'accepted' as const }), ...parts };
    const starting = startKernelApp({ role: 'api', dispatchers: [bad] });
    await expect(starting).rejects.toThrow(DispatcherConfigurationError);
    await expect(starting).rejects.toThrow(words);
  });
});
