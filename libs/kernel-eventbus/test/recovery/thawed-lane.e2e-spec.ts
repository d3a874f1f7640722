import { randomUUID } from 'node:crypto';
import { startKernelApp, type KernelApp } from '@kernel/test-support/kernel-app';
import { EndpointCache } from '../../src/endpoints/endpoint-cache.js';
import { claimLanes } from '../../src/worker/claim/claim-due.sql.js';
import type { ClaimedLane } from '../../src/deliveries/claims.sql.js';
import { recordOutcomes } from '../../src/deliveries/outcomes.sql.js';
import { settleAttempt } from '../../src/worker/conclude-attempt.js';
import { Router } from '../../src/routing/router.js';
import { rescueLeases } from '../../src/deliveries/rescue.sql.js';
import { NO_ROOM } from '../routing/no-room.js';

const tenantId = randomUUID();
const WORKER = 'thawed';

describe('a worker that thaws and claims a lane anew that it had lost', () => {
  let kernel: KernelApp;
  beforeEach(async () => {
    kernel = await startKernelApp({ role: 'api' });
  });
  afterEach(() => kernel.close());

  const db = () => kernel.em.fork().getKysely<unknown>();
  const claim = async (): Promise<ClaimedLane> => {
    const [lane] = await claimLanes(db(), {
      ...{ workerId: WORKER, limit: 10, leaseMs: 3_600_000, probeMs: 1_000, perEndpoint: 100, prefetch: 1 },
      ...{ exceptTenantIds: [], perTenant: 100, held: { endpointIds: [], counts: [] }, endpoints: new EndpointCache() },
    });
    return lane!;
  };
  const failHead = ({ laneId, laneEpoch, wakeCount, deliveries: [head] }: ClaimedLane) => {
    const failure = {
      kind: 'retry',
      delayMs: 0,
      errorClass: 'http_5xx',
      error: 'answered 500',
      statusCode: 500,
    } as const;
    const record = settleAttempt(head!, failure, {
      ...{ bodySha256: null, handoff: null, latencyMs: 1, responseExcerpt: null },
      redaction: { policyId: null, policyVersion: null, removedPaths: null },
    });
    const laneRelease = { laneId, laneEpoch, wakeCount, then: 'wait' as const };
    return recordOutcomes(kernel.em, [{ ...record, laneRelease }], WORKER);
  };

  it('keeps its new leases when an answer comes to a request of before', async () => {
    await kernel.addEndpoint({ tenantId, url: 'http://127.0.0.1:9/hook', types: ['t.v1'], ordering: 'stream' });
    const event = { tenantId, type: 't.v1', streamKey: 's', traceId: 'trace-0001' };
    await kernel.em.fork().transactional((em) => kernel.outbox.publishAll([event, event], { em }));
    await kernel.app.get(Router).routeBatch(NO_ROOM);

    const before = await claim();
    await kernel.database.query(
      `insert into kernel_worker (worker_id, heartbeat_at) values ($1, now() - interval '1 minute')`,
      [WORKER],
    );
    await rescueLeases(db(), 10_000);
    const after = await claim();
    expect(after.deliveries).toHaveLength(2);

    expect((await failHead(before)).changedIds).toEqual([]);
    expect(await kernel.database.query('select status, leased_by from kernel_webhook_delivery')).toEqual(
      Array(2).fill({ status: 'PENDING', leased_by: WORKER }),
    );
    expect((await failHead(after)).changedIds).toEqual([after.deliveries[0]!.deliveryId]);
  });
});
