import { randomUUID } from 'node:crypto';
import { waitFor, WebhookReceiver } from '@kernel/eventbus/testing';
import { startKernelApp, type KernelApp } from '@kernel/test-support/kernel-app';
import { executeHot } from '@kernel/runtime';
import type { ClaimedDelivery } from '../../src/deliveries/claimed-delivery.js';
import type { BroadcastMiddleware } from '../../src/dispatch/broadcast-middleware.js';
import { EndpointCache } from '../../src/endpoints/endpoint-cache.js';
import { claimPendingEvents } from '../../src/routing/pending-events.sql.js';
import { Router } from '../../src/routing/router.js';
import { claimDeliveries, claimLanes } from '../../src/worker/claim/claim-due.sql.js';
import { Slots } from '../../src/worker/slots.js';
import { NO_ROOM } from './no-room.js';

const NOWHERE = 'http://127.0.0.1:9/hook';
const TYPE = 't.v1';

/** Keeps the ids of endpoints whose settings were read. */
class WatchedCache extends EndpointCache {
  readonly reads: string[] = [];

  override resolve(...[seen, read]: Parameters<EndpointCache['resolve']>) {
    return super.resolve(seen, (endpointIds) => {
      this.reads.push(...endpointIds);
      return read(endpointIds);
    });
  }
}

const passing: BroadcastMiddleware = {
  name: 'passing',
  broadcast: async (_event, next) => {
    await next();
  },
};

function publishTo(kernel: KernelApp, tenantId: string): Promise<unknown> {
  const event = { tenantId, type: TYPE, streamKey: randomUUID(), traceId: 'trace-0001', payload: { region: 'EU' } };
  return kernel.em.fork().transactional((em) => kernel.outbox.publish(event, { em }));
}

/** Without a notice to the workers. */
function change(kernel: KernelApp, endpointId: string, assignments: string): Promise<unknown> {
  return kernel.database.query(`update kernel_webhook_endpoint set ${assignments} where endpoint_id = $1`, [
    endpointId,
  ]);
}

describe.each(['routed', 'routed after middleware', 'claimed', 'claimed with its lane'])(
  'the endpoint of a delivery that is %s',
  (way) => {
    let kernel: KernelApp;
    let cache: WatchedCache;
    let tenantId: string;
    let endpointId: string;
    const isRouted = way.startsWith('routed');
    const isInLane = way === 'claimed with its lane';
    beforeAll(async () => {
      cache = new WatchedCache();
      kernel = await startKernelApp({
        role: 'api',
        broadcastMiddleware: way === 'routed after middleware' ? [passing] : [],
        adapt: (builder) => (isRouted ? builder.overrideProvider(EndpointCache).useValue(cache) : builder),
      });
    });
    afterAll(() => kernel.close());
    beforeEach(async () => {
      tenantId = randomUUID();
      cache.reads.length = 0;
      const ordering = isInLane ? 'stream' : 'none';
      ({ endpointId } = await kernel.addEndpoint({ tenantId, url: NOWHERE, types: [TYPE], ordering }));
    });

    const claim = () => ({
      ...{ workerId: 'w', leaseMs: 3_600_000, probeMs: 1_000, limit: 10, perTenant: 10, perEndpoint: 100, prefetch: 1 },
      ...{ exceptTenantIds: [], held: { endpointIds: [], counts: [] }, endpoints: cache },
    });
    /** `onRouted` runs before the delivery is claimed. */
    const takeNext = async (onRouted?: () => Promise<unknown>): Promise<ClaimedDelivery | undefined> => {
      await publishTo(kernel, tenantId);
      const room = new Slots({ total: 10, perEndpoint: 10, prefetch: 1 }).reserve(10);
      const { leased } = await kernel.app.get(Router).routeBatch(isRouted ? room : NO_ROOM);
      await onRouted?.();
      if (isRouted) {
        return leased[0];
      }
      const db = kernel.em.fork().getKysely<unknown>();
      if (isInLane) {
        return (await claimLanes(db, claim()))[0]?.deliveries[0];
      }
      return (await claimDeliveries(db, claim()))[0];
    };

    it('is read once and is then the same object', async () => {
      const first = await takeNext();
      expect(cache.reads).toEqual([endpointId]);
      const second = await takeNext();
      expect(second!.deliveryId).not.toBe(first!.deliveryId);
      expect(second!.endpoint).toBe(first!.endpoint);
      expect(cache.reads).toEqual([endpointId]);
    });

    it('is the changed one, even without a notification', async () => {
      await takeNext();
      await change(kernel, endpointId, `url = 'http://127.0.0.1:9/new', signing_secret_alias = 'new', timeout_ms = 7`);
      const { endpoint } = (await takeNext())!;
      expect(endpoint).toMatchObject({ url: 'http://127.0.0.1:9/new', urlSetByOperator: false, timeoutMs: 7 });
      expect(endpoint.signingSecretAlias).toBe('new');
      expect(cache.reads).toEqual([endpointId, endpointId]);
    });

    it('is no longer one that gets the event, once it is disabled or its predicates do not match', async () => {
      await takeNext();
      const predicate = { path: '$.region', operator: 'equals', value: 'US' };
      const subscriptions = JSON.stringify([{ type: TYPE, match: 'all', predicates: [predicate] }]);
      await change(kernel, endpointId, `subscriptions = '${subscriptions}'`);
      expect(await takeNext()).toBeUndefined();
      await change(kernel, endpointId, `subscriptions = '[]'`);
      expect(await takeNext()).toBeDefined();
      await change(kernel, endpointId, `is_enabled = false`);
      expect(await takeNext()).toBeUndefined();
    });

    if (!isRouted) {
      it('is known as disabled, if that happened after routing', async () => {
        await takeNext();
        const disabled = await takeNext(() => change(kernel, endpointId, `is_enabled = false`));
        expect(disabled!.endpoint).toMatchObject({ isEnabled: false });
      });
    }
  },
);

describe('a claim of pending events', () => {
  it('returns endpoints as ids and versions, once per type of a tenant', async () => {
    const kernel = await startKernelApp({ role: 'api' });
    const tenantId = randomUUID();
    const { endpointId } = await kernel.addEndpoint({ tenantId, url: NOWHERE, types: [TYPE] });
    await publishTo(kernel, tenantId);
    await publishTo(kernel, tenantId);
    const claim = claimPendingEvents({ limit: 10, afterTenantId: undefined, exceptTenantIds: [] });
    const rows = await executeHot<{ subscribers: unknown }>(kernel.em, claim);
    const versions = [expect.stringMatching(/^\d+$/)];
    expect(rows.map(({ subscribers }) => subscribers)).toEqual([
      [{ tenantId, type: TYPE, endpointIds: [endpointId], versions, openIds: null }],
      null,
    ]);
    await kernel.close();
  });
});

describe('a worker that is not told of a change', () => {
  let kernel: KernelApp;
  let before: WebhookReceiver;
  let after: WebhookReceiver;
  beforeEach(async () => {
    kernel = await startKernelApp();
    [before, after] = [await WebhookReceiver.start(), await WebhookReceiver.start()];
  });
  afterEach(async () => {
    await kernel.close();
    await Promise.all([before.stop(), after.stop()]);
  });

  it('sends new events to the new address, and the retry of an old one', async () => {
    const tenantId = randomUUID();
    before.answers(204).otherwise(500);
    const { endpointId } = await kernel.addEndpoint({ tenantId, url: before.url, types: [TYPE] });
    await publishTo(kernel, tenantId);
    await before.receives(1);
    await change(kernel, endpointId, `retry = '{"initialDelayMs": 3600000, "maxDelayMs": 3600000}'`);
    await publishTo(kernel, tenantId);
    const failed = () => kernel.database.query(`select from kernel_webhook_delivery where status = 'FAILED'`);
    await waitFor(async () => (await failed()).length === 1, 'the failed attempt');

    await change(kernel, endpointId, `url = '${after.url}', operator_url = '${after.url}'`);
    await kernel.database.query(`update kernel_webhook_delivery set next_attempt_at = now() where status = 'FAILED'`);
    await publishTo(kernel, tenantId);
    await after.receives(2);
    expect(before.received).toHaveLength(2);
  });
});
