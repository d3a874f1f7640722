import { randomUUID } from 'node:crypto';
import { waitFor } from '@kernel/eventbus/testing';
import { AdminApi } from '@kernel/test-support/admin-api';
import { HangingReceiver } from './hanging-receiver.js';

const CONCURRENCY = 4;
const TESTS_PER_TENANT = 4;
const LONG_MS = 300_000;

describe('tenants whose endpoints have the same origin, where nothing is answered', () => {
  let api: AdminApi;
  let shared: HangingReceiver;
  const sent: Promise<unknown>[] = [];
  beforeEach(async () => {
    const times = { timeoutMs: LONG_MS, maxTimeoutMs: LONG_MS, shutdownTimeoutMs: 1 };
    api = await AdminApi.start({ role: 'all', concurrency: CONCURRENCY, ...times });
    shared = await HangingReceiver.start();
  });
  afterEach(async () => {
    await shared.stop();
    await Promise.all(sent.splice(0));
    await api.close();
  });

  const seen = (path: string) => shared.paths.filter((one) => one === path).length;
  const addEndpoint = async (tenantId: string, path: string, settings: Record<string, unknown> = {}) =>
    (await api.createEndpoint(tenantId, { url: shared.urlOf(path), ...settings })).endpointId!;
  const sendTests = (endpointId: string, count: number) => {
    const tests = Array.from({ length: count }, () => api.operator.post(`/endpoints/${endpointId}/test`));
    sent.push(...tests.map((test) => test.then()));
  };

  it('share its sockets: one that fills every place delays no delivery of another', async () => {
    const greedy = randomUUID();
    for (let n = 0; n < 2; n++) {
      await addEndpoint(greedy, '/greedy', { maxInFlight: CONCURRENCY / 2 });
    }
    for (let n = 0; n < 2 * CONCURRENCY; n++) {
      await api.publish(greedy);
    }
    await waitFor(() => seen('/greedy') === CONCURRENCY, 'every place to be taken');

    const other = randomUUID();
    await addEndpoint(other, '/other');
    await api.publish(other);
    await waitFor(() => seen('/other') === 1, 'the delivery of the other tenant');
    expect(seen('/greedy')).toBe(CONCURRENCY);
  });

  it('are delayed neither in deliveries nor in tests by the test webhooks of one of them', async () => {
    sendTests(await addEndpoint(randomUUID(), '/greedy'), 64);
    await waitFor(() => seen('/greedy') === TESTS_PER_TENANT, 'the test webhooks of one tenant');

    const busy = randomUUID();
    await addEndpoint(busy, '/busy', { maxInFlight: CONCURRENCY });
    for (let n = 0; n < CONCURRENCY; n++) {
      await api.publish(busy);
    }
    await waitFor(() => seen('/busy') === CONCURRENCY, 'every place to be taken');
    const other = randomUUID();
    const endpointId = await addEndpoint(other, '/other');
    await api.publish(other);
    await waitFor(() => seen('/other') === 1, 'the delivery of the other tenant');
    sendTests(endpointId, 1);
    await waitFor(() => seen('/other') === 2, 'the test webhook of the other tenant');
    expect(seen('/greedy')).toBe(TESTS_PER_TENANT);
  });

  it('send the next test webhook when one has its answer', async () => {
    sendTests(await addEndpoint(randomUUID(), '/greedy'), TESTS_PER_TENANT + 1);
    await waitFor(() => seen('/greedy') === TESTS_PER_TENANT, 'the test webhooks of one tenant');
    shared.answer();
    await waitFor(() => seen('/greedy') === TESTS_PER_TENANT + 1, 'the one that waited');
  });

  it('are told so when a test webhook has waited in vain as long as it may take', async () => {
    const tenantId = randomUUID();
    sendTests(await addEndpoint(tenantId, '/greedy'), TESTS_PER_TENANT);
    await waitFor(() => seen('/greedy') === TESTS_PER_TENANT, 'the test webhooks of one tenant');
    const impatient = await addEndpoint(tenantId, '/impatient', { timeoutMs: 100 });
    const { body } = await api.operator.post(`/endpoints/${impatient}/test`).expect(429);
    expect(body).toMatchObject({ type: 'urn:kernel:problem:too-many-tests', status: 429 });
    expect(seen('/impatient')).toBe(0);
    expect(await api.ledger('endpoint-tested')).toEqual([]);
  });
});
