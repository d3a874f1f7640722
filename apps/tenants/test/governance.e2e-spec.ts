import { randomUUID } from 'node:crypto';
import { waitFor } from '@kernel/eventbus/testing';
import { jetstream } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import type { Agent } from 'supertest';
import { describeWithNats, NatsServer } from '@kernel/test-support/nats-server';
import {
  makeTenantsBench,
  startTestProjection,
  startTestTenants,
  type Governed,
  type TenantsBench,
} from '@kernel/test-support/start-test-tenants';

const NOBODY = '00000000-0000-4000-8000-000000000000';
const ACME = { name: 'Acme', plan: 'STANDARD', retentionDays: 90, residency: 'EU' };

describeWithNats('the governance of tenants', () => {
  let server: NatsServer;
  let bench: TenantsBench;
  let service: { http: Agent; close(): Promise<void> };
  let projection: { http: Agent; close(): Promise<void> };
  beforeAll(async () => {
    server = await NatsServer.start();
    bench = await makeTenantsBench(server.url);
    // Started first, so it has to wait for the stream, which the service creates.
    projection = await startTestProjection(bench.projectionSettings);
    service = await startTestTenants(bench.tenantsSettings);
  });
  afterAll(async () => {
    await service?.close();
    await projection?.close();
    await bench?.close();
    await server?.stop();
  });

  const create = async (governance: object = ACME) =>
    (await service.http.post('/tenants').send(governance).expect(201)).body as Governed;
  const change = async ({ tenantId }: Governed, changes: object) =>
    (await service.http.patch(`/tenants/${tenantId}/governance`).send(changes).expect(200)).body as Governed;
  const shown = async ({ tenantId }: Governed) => {
    const { items } = (await projection.http.get('/governance').expect(200)).body as { items: Governed[] };
    return items.find((item) => item.tenantId === tenantId);
  };
  const eventsOf = ({ tenantId }: Governed) =>
    bench.database.query<{ type: string; stream_key: string; trace_id: string; payload_jsonb: object }>(
      'select type, stream_key, trace_id, payload_jsonb from kernel_outbox_event where tenant_id = $1 order by stream_sequence',
      [tenantId],
    );

  it('[ADR-14] a change is told over JetStream, and the projection follows', async () => {
    const tenant = await create();
    await change(tenant, { plan: 'ENTERPRISE', retentionDays: 365 });
    await change(tenant, { residency: 'US' });
    await waitFor(async () => (await shown(tenant))?.version === 3, 'the projection to have the third version');
    expect(await shown(tenant)).toEqual({
      ...{ tenantId: tenant.tenantId, name: 'Acme', plan: 'ENTERPRISE', retentionDays: 365, residency: 'US' },
      ...{ version: 3, changes: 3 },
    });
    expect((await projection.http.get('/gaps').expect(200)).body).toEqual({ items: [] });
  });

  it('[ADR-14] the event says what changed and what holds now, on the stream of its tenant, under the trace of the request', async () => {
    const tenant = await create();
    const traceId = `trace-${randomUUID()}`;
    await service.http
      .patch(`/tenants/${tenant.tenantId}/governance`)
      .set('x-trace-id', traceId)
      .send({ plan: 'FREE', residency: 'EU' })
      .expect(200);
    expect((await eventsOf(tenant))[1]).toEqual({
      type: 'governance.changed.v1',
      stream_key: `tenant:${tenant.tenantId}`,
      trace_id: traceId,
      payload_jsonb: { version: 2, changed: ['plan'], governance: { ...ACME, plan: 'FREE' } },
    });
  });

  it('what changes nothing is not told', async () => {
    const tenant = await create();
    expect(await change(tenant, { plan: 'STANDARD' })).toEqual(tenant);
    expect(await eventsOf(tenant)).toHaveLength(1);
  });

  it('[ADR-14] one tenant whose changes come signed otherwise does not hold up the others', async () => {
    const [odd, tenant] = [await create(), await create()];
    const broker = await connect({ servers: server.url });
    const subject = `kernel.events.${odd.tenantId}.tenant.governance%2Echanged%2Ev1`;
    await jetstream(broker).publish(subject, '{}', { msgID: randomUUID() });
    await broker.close();
    await change(tenant, { plan: 'FREE' });
    await waitFor(async () => (await shown(tenant))?.version === 2, 'the projection to follow');
  });

  it.each([
    ['post', '/tenants', { ...ACME, plan: 'GOLD' }, 400],
    ['post', '/tenants', { name: 'Acme' }, 400],
    ['post', '/tenants', { ...ACME, owner: 'Ada' }, 400],
    ['patch', `/tenants/${NOBODY}/governance`, {}, 400],
    ['patch', `/tenants/${NOBODY}/governance`, { retentionDays: 0 }, 400],
    ['patch', '/tenants/nobody/governance', { plan: 'FREE' }, 400],
    ['patch', `/tenants/${NOBODY}/governance`, { plan: 'FREE' }, 404],
  ] as const)('%s %s %j is answered with a problem', async (method, path, body, status) => {
    const before = await bench.tenants();
    const answer = await service.http[method](path).send(body);
    expect([answer.status, answer.headers['content-type']]).toEqual([
      status,
      expect.stringContaining('application/problem+json'),
    ]);
    expect(await bench.tenants()).toEqual(before);
  });

  it('[ADR-14] changes are taken while the broker is away, and told when it is back', async () => {
    await server.kill();
    const tenant = await create();
    await change(tenant, { plan: 'FREE' });
    expect(await shown(tenant)).toBeUndefined();
    await server.start();
    await waitFor(async () => (await shown(tenant))?.version === 2, 'the projection to follow');
  });
});
