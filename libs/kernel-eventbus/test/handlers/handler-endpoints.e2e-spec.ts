import { randomUUID } from 'node:crypto';
import { EventHandler } from '../../src/dispatch/handlers/event-handler.decorator.js';
import { Injectable, Module } from '@nestjs/common';
import { startKernelApp } from '@kernel/test-support/kernel-app';
import { AdminApi, TYPE } from '@kernel/test-support/admin-api';
import { expectRefused, type Call } from '@kernel/test-support/expect-refused';

const NIL = '00000000-0000-0000-0000-000000000000';
const URL = 'http://127.0.0.1:9/hook';

@Injectable()
class Bookkeeper {
  @EventHandler({ name: 'book', types: [TYPE] })
  book(): void {}
}

@Module({ providers: [Bookkeeper] })
class BookkeepingModule {}

describe('the endpoint of a handler, which gets the events of all tenants', () => {
  let api: AdminApi;
  beforeAll(async () => {
    api = await AdminApi.start({ providers: [Bookkeeper] });
  });
  afterAll(() => api.close());

  const endpoint = async () => {
    const [row] = await api.kernel.database.query<Record<string, unknown> & { endpoint_id: string }>(
      'select * from kernel_webhook_endpoint where name = $1',
      ['book'],
    );
    return row!;
  };

  it.each([
    ['endpoints', (c) => c.post('/endpoints', { tenantId: NIL, url: URL, subscribedTypes: [TYPE] })],
    ['tokens', (c) => c.post('/tokens', { name: 'x', role: 'tenant-admin', tenantId: NIL })],
    ['secrets', (c) => c.post('/secrets', { tenantId: NIL, alias: 'billing' })],
    ['policies', (c) => c.put(`/policies/${TYPE}`, { tenantId: NIL, rules: [] })],
  ] satisfies [string, Call][])('is the only kind that belongs to all: %s cannot', (_, call) =>
    expectRefused(api, call, 'tenantId'),
  );

  it.each<[string, Call]>([
    ['GET', (c) => c.get(`/endpoints/:id`)],
    ['DELETE', (c) => c.delete(`/endpoints/:id`)],
    ['a test', (c) => c.post(`/endpoints/:id/test`)],
    ['a dry run', (c) => c.post(`/endpoints/:id/dry-run`, {})],
    ['another URL', (c) => c.patch(`/endpoints/:id`, { url: URL })],
    ['another dispatcher', (c) => c.patch(`/endpoints/:id`, { dispatcher: null, isEnabled: true })],
    ['headers', (c) => c.patch(`/endpoints/:id`, { headers: { 'x-a': '1' } })],
  ])('is not there for %s', async (_, call) => {
    const before = await endpoint();
    const client = api.operator;
    const to = (path: string) => path.replace(':id', before.endpoint_id);
    const { body } = await call({
      get: (path, query) => client.get(to(path), query),
      post: (path, sent) => client.post(to(path), sent),
      patch: (path, sent) => client.patch(to(path), sent),
      put: (path, sent) => client.put(to(path), sent),
      delete: (path) => client.delete(to(path)),
    }).expect(404);
    expect(body).toMatchObject({
      type: 'urn:kernel:problem:not-found',
      detail: expect.stringContaining('only isEnabled can be changed'),
    });
    expect(await endpoint()).toEqual(before);
  });

  it('is switched off and on by operators alone', async () => {
    const { endpoint_id: id } = await endpoint();
    const { client } = await api.tenantAdmin();
    await client.patch(`/endpoints/${id}`, { isEnabled: false }).expect(404);
    await api.operator.patch(`/endpoints/${id}`, { isEnabled: false }).expect(200);
    expect(await endpoint()).toMatchObject({ is_enabled: false, dispatcher: 'handler', tenant_id: NIL });
    await api.operator.patch(`/endpoints/${id}`, { isEnabled: true }).expect(200);
  });

  it('cannot be turned into anything else in the database, nor anything else into one', async () => {
    const { endpointId } = await api.createEndpoint(randomUUID());
    const change = (set: string, id: string) =>
      api.kernel.database.query(`update kernel_webhook_endpoint set ${set} where endpoint_id = $1`, [id]);
    const { endpoint_id: handlerId } = await endpoint();
    for (const [set, id] of [
      ['dispatcher = null', handlerId],
      ['tenant_id = gen_random_uuid()', handlerId],
      [`tenant_id = '${NIL}'`, endpointId!],
      [`dispatcher = 'handler'`, endpointId!],
    ] as const) {
      await expect(change(set, id)).rejects.toThrow('kernel_webhook_endpoint_all_tenants_check');
    }
  });

  it('is put right at the start, except for whether it is enabled', async () => {
    const { database } = api.kernel;
    const before = await endpoint();
    await database.query(
      `update kernel_webhook_endpoint set url = $1, headers = '{"x-a": "1"}', is_external = true, is_enabled = false,
         name = 'other', subscriptions = '[{}]', signing_secret_alias = 'other', deleted_at = now()
       where endpoint_id = $2`,
      [URL, before.endpoint_id],
    );
    const again = await startKernelApp({ role: 'api', database, imports: [BookkeepingModule] });
    await again.close();
    expect(await endpoint()).toEqual({ ...before, is_enabled: false, updated_at: expect.any(Date) });
  });
});
