import { randomUUID } from 'node:crypto';
import { waitFor } from '@kernel/eventbus/testing';
import pg from 'pg';
import { AdminApi, TYPE } from '@kernel/test-support/admin-api';
import { endOfOperation, minuteAgo, REASON, startOperation } from './started-operation.js';

const COUNT_TIMEOUT_MS = 2_500;
const GATE = 4_711;

/** So slow that a page of events exceeds the time limit of a count. */
const slowSelector = {
  check: () => undefined,
  select: () => {
    const end = performance.now() + COUNT_TIMEOUT_MS / 150;
    while (performance.now() < end) {
      // Blocks the thread, as code of a host may.
    }
    return ['EU'];
  },
};

describe('bulk work that is under way', () => {
  let api: AdminApi;
  let other: pg.Client;
  let tenantId: string;
  let endpointId: string;
  beforeAll(async () => {
    api = await AdminApi.start({
      role: 'all',
      operations: { batchSize: 2, pauseMs: 20, maxOpen: 1, countTimeoutMs: COUNT_TIMEOUT_MS },
      fieldSelector: slowSelector,
    });
    other = new pg.Client({ connectionString: api.kernel.database.url });
    await other.connect();
    // Writes with this trigger wait while the other connection holds the gate.
    await api.kernel.database.query(`
      create function pass_gate() returns trigger language plpgsql as $$ begin
        perform pg_advisory_xact_lock_shared(${GATE});
        return new;
      end $$;
    `);
  });
  beforeEach(async () => {
    tenantId = randomUUID();
    ({ endpointId } = (await api.createEndpoint(tenantId, { isEnabled: false })) as { endpointId: string });
  });
  afterAll(async () => {
    await other.end();
    await api.close();
  });

  const shutGate = async (table: string, condition = 'true') => {
    await other.query('select pg_advisory_lock($1)', [GATE]);
    await api.kernel.database.query(
      `create trigger gate before insert on ${table} for each row when (${condition}) execute function pass_gate()`,
    );
  };
  const openGate = async (table: string) => {
    await other.query('select pg_advisory_unlock($1)', [GATE]);
    await api.kernel.database.query(`drop trigger gate on ${table}`);
  };
  const waiting = (count: number) =>
    waitFor(async () => {
      const rows = await api.kernel.database.query(
        `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
      );
      return rows.length >= count;
    }, `${count} to wait for a lock`);
  const show = async (operationId: string) =>
    (await api.operator.get(`/operations/${operationId}`).expect(200)).body as Record<string, unknown>;
  const statuses = async () =>
    (
      await api.kernel.database.query<{ status: string }>(
        'select status from kernel_webhook_delivery where tenant_id = $1',
        [tenantId],
      )
    ).map(({ status }) => status);

  it('is cancelled at once, also in the middle of a batch, which then comes to nothing', async () => {
    await api.addDelivery(tenantId, endpointId, 'DLQ');
    await api.addDelivery(tenantId, endpointId, 'DLQ');
    await api.addDelivery(tenantId, endpointId, 'DLQ');
    await shutGate('kernel_ledger_entry', `new.kind = 'replayed'`);
    const operationId = await startOperation(api, '/deliveries/replay', { filter: { endpointId } });
    await waiting(1);

    const { body } = await api.operator.post(`/operations/${operationId}/cancel`).expect(200);
    expect(body).toMatchObject({ state: 'cancelled', done: 0, total: 3 });
    await waiting(1);
    await openGate('kernel_ledger_entry');

    const next = await startOperation(api, '/deliveries/replay', { filter: { tenantId: randomUUID() } });
    await endOfOperation(api, next);
    expect(await show(operationId)).toMatchObject({ state: 'cancelled', done: 0, lastError: null });
    expect(await statuses()).toEqual(['DLQ', 'DLQ', 'DLQ']);
    const replayed = await api.ledger('replayed');
    expect(replayed.filter((entry) => entry.tenant_id === tenantId)).toEqual([]);
    const ended = (await api.ledger('operation-ended')).filter((entry) => entry.tenant_id === tenantId);
    expect(ended).toEqual([]);
  });

  it('is not more than may be, also when two are ordered at the same time', async () => {
    await api.addDelivery(tenantId, endpointId, 'DLQ');
    await shutGate('kernel_operation');
    const order = () => api.operator.post('/deliveries/replay', { filter: { endpointId }, reason: REASON }).then();
    const answers = Promise.all([order(), order()]);
    await waiting(2);
    await openGate('kernel_operation');
    const [first, second] = (await answers).toSorted((a, b) => a.status - b.status);
    expect([first!.status, second!.status]).toEqual([202, 409]);
    expect(second!.body.detail).toContain('1 operations are under way');
    await endOfOperation(api, (first!.body as { operationId: string }).operationId);
  });

  it.each([
    ['an order', '/deliveries/replay', 'kernel_webhook_delivery', false],
    ['a dry run', 'replay-missing', 'kernel_outbox_event', true],
  ])('%s that takes the database too long to count is refused', async (_what, path, table, dryRun) => {
    const isReplay = path === '/deliveries/replay';
    const body = { reason: REASON, dryRun, ...(isReplay ? { filter: { endpointId } } : { since: minuteAgo() }) };
    await other.query('begin');
    await other.query(`lock table ${table} in access exclusive mode`);
    const { body: problem } = await api.operator
      .post(isReplay ? path : `/endpoints/${endpointId}/${path}`, body)
      .expect(503);
    await other.query('rollback');
    expect(problem).toMatchObject({
      type: 'urn:kernel:problem:took-too-long',
      detail: expect.stringContaining(`more than ${COUNT_TIMEOUT_MS} ms`),
    });
    const orders = await api.kernel.database.query('select from kernel_operation where tenant_id = $1', [tenantId]);
    expect(orders).toEqual([]);
  });

  it('a count of many short looks ends in time too', async () => {
    const eu = { type: TYPE, match: 'all', predicates: [{ path: '$.region', operator: 'equals', value: 'EU' }] };
    const { endpointId: choosy } = await api.createEndpoint(tenantId, { isEnabled: false, subscriptions: [eu] });
    await api.kernel.database.query(
      `insert into kernel_outbox_event
         (event_id, tenant_id, stream_key, type, occurred_at, trace_id, payload_jsonb, payload_hash, status)
       select gen_random_uuid(), $1, 's', $2, now(), 'trace-0001', '{}', 'hash', 'PUBLISHED' from generate_series(1, 201)`,
      [tenantId, TYPE],
    );
    const order = { since: minuteAgo(), reason: REASON, dryRun: true };
    const { body } = await api.operator.post(`/endpoints/${choosy}/replay-missing`, order).expect(503);
    expect(body.type).toBe('urn:kernel:problem:took-too-long');
  });
});
