import { randomUUID } from 'node:crypto';
import { startKernelApp, type KernelApp } from '@kernel/test-support/kernel-app';
import { EndpointCache } from '../../src/endpoints/endpoint-cache.js';
import { claimSuspects } from '../../src/deliveries/suspects.sql.js';
import { Router } from '../../src/routing/router.js';
import { Rescuer } from '../../src/upkeep/rescuer.js';
import { NO_ROOM } from '../routing/no-room.js';

const NOWHERE = 'http://127.0.0.1:9/hook';
export const tenantId = randomUUID();

/** Sets a long `silentMs`, because a rescue has a quarter of it to finish. */
export function startForRescue(): Promise<KernelApp> {
  return startKernelApp({ role: 'api', heartbeat: { silentMs: 40_000 } });
}

/** Steps of the tests with workers that stop sending heartbeats, on the app of the current test. */
export function rescueSteps(kernel: () => KernelApp) {
  const db = () => kernel().em.fork().getKysely<unknown>();
  const claim = (workerId: string, limit = 100) => ({
    workerId,
    limit,
    leaseMs: 3_600_000,
    probeMs: 1_000,
    perEndpoint: 1_000,
    prefetch: 1,
    exceptTenantIds: [],
    perTenant: 1_000,
    held: { endpointIds: [], counts: [] },
    endpoints: new EndpointCache(),
    groupSize: 16,
  });
  const addEndpoint = (ordering: 'none' | 'stream' = 'none') =>
    kernel().addEndpoint({ tenantId, url: NOWHERE, types: ['t.v1'], ordering });
  const publish = async (count: number, streamKey: (n: number) => string = () => 's') => {
    await kernel()
      .em.fork()
      .transactional((em) =>
        kernel().outbox.publishAll(
          Array.from({ length: count }, (_, n) => ({
            tenantId,
            type: 't.v1',
            streamKey: streamKey(n),
            traceId: 'trace-0001',
          })),
          { em },
        ),
      );
    await kernel().app.get(Router).routeBatch(NO_ROOM);
  };
  const suspectGroup = (workerId: string) =>
    kernel()
      .em.fork()
      .transactional((em) => claimSuspects(em.getKysely<unknown>(), claim(workerId)));
  const fallsSilent = (workerId: string, inFlight: readonly { deliveryId: string }[]) =>
    kernel().database.query(
      `insert into kernel_worker (worker_id, heartbeat_at, in_flight) values ($1, now() - interval '1 minute', $2)`,
      [workerId, inFlight.map(({ deliveryId }) => deliveryId)],
    );
  const dies = async (workerId: string, inFlight: readonly { deliveryId: string }[] = []) => {
    await fallsSilent(workerId, inFlight);
    return kernel().app.get(Rescuer).rescue();
  };
  const soloCrashesOf = async ({ deliveryId }: { deliveryId: string }) => {
    const [row] = await kernel().database.query<{ count: number }>(
      'select lonely_deaths as count from kernel_webhook_delivery where delivery_id = $1',
      [deliveryId],
    );
    return row!.count;
  };
  /** Updates the rows the way a recorded outcome does. */
  const comeThrough = (deliveries: readonly { deliveryId: string }[]) =>
    kernel().database.query(
      `update kernel_webhook_delivery set status = 'DELIVERED', settled_at = now(), lease_until = null, leased_by = null,
         is_suspect = false, crashes = 0, lonely_deaths = 0 where delivery_id = any($1)`,
      [deliveries.map(({ deliveryId }) => deliveryId)],
    );

  return { db, claim, addEndpoint, publish, suspectGroup, fallsSilent, dies, soloCrashesOf, comeThrough };
}
