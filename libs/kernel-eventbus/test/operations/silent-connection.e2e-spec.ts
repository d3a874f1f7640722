import { randomUUID } from 'node:crypto';
import { waitFor } from '@kernel/eventbus/testing';
import pg from 'pg';
import { DatabaseProxy } from '@kernel/test-support/database-proxy';
import { startKernelApp, type KernelApp } from '@kernel/test-support/kernel-app';
import { AdminApi } from '@kernel/test-support/admin-api';
import { minuteAgo, REASON } from './started-operation.js';

const PATIENCE_MS = 120_000;

describe('a batch of an operation', () => {
  let api: AdminApi;
  let proxy: DatabaseProxy;
  let worker: KernelApp;
  beforeEach(async () => {
    api = await AdminApi.start();
    const { database } = api.kernel;
    proxy = await DatabaseProxy.start(database.appUrl);
    worker = await startKernelApp({
      role: 'worker',
      database: proxy.behind(database),
    });
  });
  afterEach(async () => {
    proxy.cut();
    await worker.close();
    await api.close();
    await proxy.close();
  });

  it(
    'is done on another connection when its own goes silent',
    async () => {
      const { database } = api.kernel;
      const tenantId = randomUUID();
      await api.publish(tenantId);
      await waitFor(
        async () => (await database.query(`select from kernel_outbox_event where status = 'PUBLISHED'`)).length === 1,
        'the event to be routed to nobody',
      );
      const { endpointId } = await api.createEndpoint(tenantId, { isEnabled: false });
      const holder = new pg.Client(database.url);
      await holder.connect();
      await holder.query('begin');
      await holder.query('select from kernel_webhook_endpoint where endpoint_id = $1 for update', [endpointId]);
      const { body } = await api.operator
        .post(`/endpoints/${endpointId}/replay-missing`, { since: minuteAgo(), reason: REASON })
        .expect(202);
      const waiting = () =>
        database.query(`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`);
      await waitFor(async () => (await waiting()).length > 0, 'the batch to wait for the endpoint');
      proxy.silenceOpenConnections();
      await holder.query('rollback');
      await holder.end();
      const { operationId } = body as { operationId: string };
      const state = async () =>
        ((await api.operator.get(`/operations/${operationId}`)).body as { state: string }).state;
      await waitFor(async () => (await state()) === 'completed', 'the operation to end', { timeoutMs: PATIENCE_MS });
      expect(await database.query('select from kernel_webhook_delivery')).toHaveLength(1);
    },
    2 * PATIENCE_MS,
  );
});
