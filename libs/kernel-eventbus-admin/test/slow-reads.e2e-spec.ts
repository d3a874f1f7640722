import pg from 'pg';
import { waitFor } from '@kernel/eventbus/testing';
import { AdminApi, type AdminClient } from '@kernel/test-support/admin-api';

const SLOW = 60;
const BUSY = 'urn:kernel:problem:busy';

describe('slow reads of the admin API', () => {
  let api: AdminApi;
  let lock: pg.Client;
  beforeEach(async () => {
    api = await AdminApi.start({ adminReadTimeoutMs: 120_000 });
    lock = new pg.Client({ connectionString: api.kernel.database.url });
    await lock.connect();
  });
  afterEach(async () => {
    await lock.end();
    await api.close();
  });

  /** Reads of lanes wait for this lock; publishing does not. */
  const lockLanes = () => lock.query('begin; lock table kernel_lane');
  const blockedReads = async () => {
    const rows = await api.kernel.database.query(
      `select from pg_locks where not granted and relation = 'kernel_lane'::regclass`,
    );
    return rows.length;
  };
  const readLanes = (client: AdminClient) =>
    Array.from({ length: SLOW }, async () => (await client.get('/lanes')).status);

  it.each(['tenant admin', 'operator'])(
    'leave connections for publishing, operators and other tenants: of a %s',
    async (role) => {
      const { tenantId, client } = await api.tenantAdmin();
      const { client: neighbour } = await api.tenantAdmin();
      await lockLanes();
      const slow = readLanes(role === 'operator' ? api.as(await operatorToken(api)) : client);
      await waitFor(async () => (await blockedReads()) > 0, 'a read that waits for the lock');

      await api.publish(tenantId);
      await api.operator.get('/endpoints').expect(200);
      await neighbour.get('/endpoints').expect(200);
      expect(await blockedReads()).toBeLessThanOrEqual(2);

      await lock.query('commit');
      expect(new Set(await Promise.all(slow))).toEqual(new Set([200]));
    },
  );

  it('leave connections, and so do changes that wait for a lock', async () => {
    const { tenantId, client } = await api.tenantAdmin();
    const { endpointId } = await api.createEndpoint(tenantId);
    await lock.query('begin');
    await lock.query('select from kernel_webhook_endpoint where endpoint_id = $1 for update', [endpointId]);
    const change = async () => (await client.patch(`/endpoints/${endpointId}`, { isEnabled: false })).status;
    const slow = Array.from({ length: SLOW }, change);
    await waitFor(
      () => api.kernel.database.query('select from pg_locks where not granted').then(({ length }) => length > 0),
      'a change that waits for the lock',
    );
    for (let n = 0; n < SLOW; n++) {
      await api.publish(tenantId);
      await api.operator.get('/endpoints').expect(200);
    }
    await lock.query('commit');
    expect(new Set(await Promise.all(slow))).toEqual(new Set([200]));
  });

  it('leave connections where they count what an operation is about', async () => {
    const { tenantId, client } = await api.tenantAdmin();
    await lock.query('begin; lock table kernel_webhook_delivery');
    const request = { filter: { status: 'DLQ' }, reason: 'test', dryRun: true };
    const slow = Array.from({ length: SLOW }, async () => (await client.post('/deliveries/replay', request)).status);
    await api.publish(tenantId);
    await api.operator.get('/endpoints').expect(200);
    await lock.query('commit');
    expect(new Set(await Promise.all(slow))).toEqual(new Set([200]));
  });
});

describe('reads of the admin API that wait too long', () => {
  it('are ended by the database, or refused as busy, also for operators', async () => {
    const api = await AdminApi.start({ adminReadTimeoutMs: 500, adminReadConcurrency: 2 });
    const lock = new pg.Client({ connectionString: api.kernel.database.url });
    await lock.connect();
    try {
      await lock.query('begin; lock table kernel_lane');
      const answers = await Promise.all(Array.from({ length: 10 }, () => api.operator.get('/lanes')));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]));
      const types = answers.map(({ body }) => (body as { type: string }).type);
      expect(new Set(types)).toEqual(new Set(['urn:kernel:problem:took-too-long', BUSY]));
      const busy = answers[types.indexOf(BUSY)]!;
      expect(busy.headers['retry-after']).toBe('1');
      expect(busy.body).toMatchObject({ detail: expect.stringContaining('adminReadConcurrency') });
      await lock.query('commit');
      await api.operator.get('/lanes').expect(200);
    } finally {
      await lock.end();
      await api.close();
    }
  });
});

async function operatorToken(api: AdminApi): Promise<string> {
  const { body } = await api.operator.post('/tokens', { name: 'slow', role: 'operator' }).expect(201);
  return body.token as string;
}
