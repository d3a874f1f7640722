import { EventBusAdminModule } from '@kernel/eventbus-admin';
import { waitFor } from '@kernel/eventbus/testing';
import request from 'supertest';
import { startKernelApp, type KernelApp } from '@kernel/test-support/kernel-app';
import { CrashRun, PAID, PATIENCE_MS } from './crash-run.js';

const COUNT = 10_000;
const TOKEN = 'operator-token-for-crashes';
const OPERATIONS = { batchSize: 500, pauseMs: 300 };

interface Progress {
  state: string;
  total: number;
  done: number;
  failed: number;
}

describe('a bulk replay whose worker is killed', () => {
  let run: CrashRun;
  let api: KernelApp;
  beforeAll(async () => {
    run = await CrashRun.start(([tenantId]) => [{ name: 'one', tenantId, types: [PAID] }]);
    api = await startKernelApp({
      role: 'api',
      adminToken: TOKEN,
      database: run.database,
      imports: [EventBusAdminModule],
    });
    await insertDeadLetters();
  });
  afterAll(async () => {
    await api.close();
    await run.close();
  });

  /** For a disabled endpoint: replayed deliveries are parked, so only the replay is at work. */
  async function insertDeadLetters(): Promise<void> {
    const { endpointId, tenantId } = run.endpoints[0]!;
    await run.database.query(`update kernel_webhook_endpoint set is_enabled = false`);
    await run.database.query(
      `with event as (
         insert into kernel_outbox_event
           (event_id, tenant_id, stream_key, type, occurred_at, trace_id, payload_jsonb, payload_hash, status)
         select gen_random_uuid(), $1, 's', $2, now(), 'trace-0001', '{}', 'hash', 'PUBLISHED' from generate_series(1, $4::int)
         returning event_id
       )
       insert into kernel_webhook_delivery (delivery_id, tenant_id, endpoint_id, event_id, event_type, trace_id, dispatched_at)
       select gen_random_uuid(), $1, $3, event_id, $2, 'trace-0001', now() from event`,
      [tenantId, PAID, endpointId, COUNT],
    );
    await settleAll();
  }
  const settleAll = () =>
    run.database.query(
      `update kernel_webhook_delivery set status = 'DLQ', settled_at = clock_timestamp(), is_parked = false`,
    );

  const call = (method: 'get' | 'post', path: string) =>
    request(api.app.getHttpServer())[method](`/admin/eventbus${path}`).set('authorization', `Bearer ${TOKEN}`);
  const order = async (filter: object = { status: 'DLQ' }) => {
    const body = { filter, reason: 'the receiver is repaired' };
    const { body: answer } = await call('post', '/deliveries/replay').send(body).expect(202);
    return (answer as { operationId: string }).operationId;
  };
  const progress = async (operationId: string) =>
    (await call('get', `/operations/${operationId}`).expect(200)).body as Progress;
  const reaches = (operationId: string, done: number) =>
    waitFor(async () => (await progress(operationId)).done >= done, `${done} replayed`);
  /** The ledger and the queue in one query. */
  const replayed = async (operationId: string) =>
    (
      await run.database.query<Record<'entries' | 'deliveries' | 'pending' | 'done', number>>(
        `select count(*)::int as entries, count(distinct delivery_id)::int as deliveries,
           (select count(*)::int from kernel_webhook_delivery where status = 'PENDING') as pending,
           (select done from kernel_operation where operation_id = $1) as done
         from kernel_ledger_entry where kind = 'replayed' and detail->>'operationId' = $1::text`,
        [operationId],
      )
    )[0]!;
  const all = (count: number) => ({ entries: count, deliveries: count, pending: count, done: count });

  it(
    '[KER-6e] is resumed by the next one, and replays none twice',
    async () => {
      const heir = run.spare();
      const victim = await run.startWorker({ operations: OPERATIONS });
      const operationId = await order();
      await reaches(operationId, 0.3 * COUNT);
      expect(await victim.kill()).toEqual({ code: null, signal: 'SIGKILL' });

      const left = await replayed(operationId);
      expect(left).toEqual(all(left.done));
      expect(left.done).toBeLessThan(COUNT);
      expect(await progress(operationId)).toMatchObject({ state: 'running', total: COUNT });

      await run.beginWork(heir, { operations: OPERATIONS });
      await reaches(operationId, COUNT);
      expect(await replayed(operationId)).toEqual(all(COUNT));
      await waitFor(async () => (await progress(operationId)).state === 'completed', 'completion');
      expect(await progress(operationId)).toMatchObject({ total: COUNT, done: COUNT, failed: 0 });
    },
    PATIENCE_MS,
  );

  it(
    'stops within one batch when it is cancelled',
    async () => {
      await settleAll();
      const operationId = await order();
      await reaches(operationId, 0.1 * COUNT);
      const { done: before } = await progress(operationId);
      const { body } = await call('post', `/operations/${operationId}/cancel`).expect(200);
      const { state, done } = body as Progress;
      expect(state).toBe('cancelled');
      expect(done).toBeLessThan(COUNT);
      expect(done).toBeGreaterThanOrEqual(before);

      // Another operation completes, so the worker had more turns, and the cancelled one got none of them.
      await run.database.query(
        `update kernel_webhook_delivery set event_type = 'rest.v1' where delivery_id in (
           select delivery_id from kernel_webhook_delivery where status = 'DLQ' order by delivery_id limit $1
         )`,
        [2 * OPERATIONS.batchSize],
      );
      const next = await order({ type: 'rest.v1' });
      await waitFor(async () => (await progress(next)).state === 'completed', 'the next one');
      expect(await progress(next)).toMatchObject({ done: 2 * OPERATIONS.batchSize });
      expect(await progress(operationId)).toMatchObject({ state: 'cancelled', done });
      expect(await replayed(operationId)).toEqual({ ...all(done), pending: done + 2 * OPERATIONS.batchSize });
    },
    PATIENCE_MS,
  );
});
