import { randomUUID } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { startKernelApp, type KernelApp } from '@kernel/test-support/kernel-app';
import type { ClaimedDelivery } from '../../src/deliveries/claimed-delivery.js';
import { abandonDelivery } from '../../src/worker/conclude-attempt.js';
import { AttemptRecorder } from '../../src/worker/attempt-recorder.js';
import { StageHooks } from '../../src/runtime/stage-hooks.js';
import { WorkerIdentity } from '../../src/runtime/worker-identity.js';

const tenantId = randomUUID();

describe('the attempt recorder', () => {
  let kernel: KernelApp;
  let endpointId: string;
  let batches = 0;
  beforeAll(async () => {
    const hooks = new StageHooks();
    hooks.reached = (stage) => void (batches += stage === 'recorded' ? 1 : 0);
    kernel = await startKernelApp({
      role: 'api',
      adapt: (builder) => builder.overrideProvider(StageHooks).useValue(hooks),
    });
    ({ endpointId } = await kernel.addEndpoint({ tenantId, url: 'http://127.0.0.1:9/hook', types: ['t.v1'] }));
  });
  beforeEach(() => {
    batches = 0;
  });
  afterAll(() => kernel.close());

  /** Deliveries leased to this worker with epoch 1. */
  const lease = async (count: number): Promise<ClaimedDelivery[]> => {
    const ids = Array.from({ length: count }, () => uuidv7());
    await kernel.database.query(
      `insert into kernel_webhook_delivery (delivery_id, tenant_id, endpoint_id, event_id, event_type, trace_id,
         next_attempt_at, dispatched_at, lease_until, lease_epoch, leased_by)
       select id, $2, $3, gen_random_uuid(), 't.v1', 'trace-0001', clock_timestamp(), clock_timestamp(),
         clock_timestamp() + interval '1 hour', 1, $4
       from unnest($1::uuid[]) as id`,
      [ids, tenantId, endpointId, kernel.app.get(WorkerIdentity).id],
    );
    return ids.map((deliveryId) => ({
      ...({ deliveryId, tenantId, endpointId, type: 't.v1', traceId: 'trace-0001' } as ClaimedDelivery),
      eventId: randomUUID(),
      leaseEpoch: 1,
      attempts: 0,
      attributesJson: '{}',
    }));
  };
  const record = (delivery: ClaimedDelivery, { isAwaited = false, error = null as string | null } = {}) =>
    kernel.app.get(AttemptRecorder).record({ ...abandonDelivery(delivery, 'poison'), error }, { isAwaited });
  const deadCount = async () => {
    const [row] = await kernel.database.query<{ count: number }>(
      `select count(*)::int as count from kernel_webhook_delivery where status = 'DLQ'`,
    );
    return row!.count;
  };

  it('writes what comes together in a few batches, and tells each its own result', async () => {
    const deliveries = await lease(450);
    const [other] = await lease(1);
    const late = { ...other!, leaseEpoch: 0 };
    const results = await Promise.all([record(late), ...deliveries.map((delivery) => record(delivery))]);
    expect(results).toEqual([false, ...Array<boolean>(450).fill(true)]);
    expect(await deadCount()).toBe(450);
    expect(batches).toBeGreaterThanOrEqual(2);
    expect(batches).toBeLessThanOrEqual(4);
  });

  it('gathers what comes while it writes, also when somebody waits for one of them', async () => {
    const deliveries = await lease(60);
    const before = await deadCount();
    const first = record(deliveries[0]!);
    await new Promise((resolve) => setImmediate(resolve));
    const rest = deliveries.slice(1).map((delivery, place) => record(delivery, { isAwaited: place === 30 }));
    expect(await Promise.all([first, ...rest])).toEqual(Array(60).fill(true));
    expect(await deadCount()).toBe(before + 60);
    // One batch if the recorder was still collecting for the previous one.
    expect(batches).toBeLessThanOrEqual(2);
  });

  it('writes one by one what the database refuses together, so that one takes no other down', async () => {
    const [good, bad, alsoGood] = await lease(3);
    const results = await Promise.allSettled([record(good!), record(bad!, { error: 'a\0b' }), record(alsoGood!)]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(batches).toBe(2);
  });
});
