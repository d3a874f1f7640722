import { randomUUID } from 'node:crypto';
import { waitFor } from '@kernel/eventbus/testing';
import { startKernelApp, type KernelApp } from '@kernel/test-support/kernel-app';
import { Router } from '../../src/routing/router.js';
import { NO_ROOM } from './no-room.js';

/** No delivery is leased on insert: all wait in the queue. */
const NOWHERE = 'http://127.0.0.1:9/hook';

describe('routing', () => {
  let kernel: KernelApp;
  let router: Router;
  beforeAll(async () => {
    // No worker runs: each test routes by hand.
    kernel = await startKernelApp({ role: 'api', routingBatchSize: 10 });
    router = kernel.app.get(Router);
  });
  afterAll(() => kernel.close());

  const publish = (tenantId: string, type: string, count = 1) =>
    kernel.em.fork().transactional((em) =>
      kernel.outbox.publishAll(
        Array.from({ length: count }, (_, n) => ({
          tenantId,
          type,
          streamKey: `s:${n}`,
          traceId: `trace-${tenantId}`,
        })),
        { em },
      ),
    );
  const routeAll = async () => {
    while ((await router.routeBatch(NO_ROOM)).routed > 0);
  };
  const deliveriesOf = (tenantId: string) =>
    kernel.database.query<{
      endpoint_id: string;
      event_id: string;
      status: string;
      trace_id: string;
      attempts: number;
    }>('select * from kernel_webhook_delivery where tenant_id = $1 order by delivery_id', [tenantId]);

  it("[KER-T] makes deliveries for endpoints of the event's own tenant only", async () => {
    const [a, b] = [randomUUID(), randomUUID()];
    const ofA = await kernel.addEndpoint({ tenantId: a, url: NOWHERE, types: ['t.v1'] });
    await kernel.addEndpoint({ tenantId: b, url: NOWHERE, types: ['t.v1'] });
    const [event] = await publish(a, 't.v1');
    await routeAll();
    expect(await deliveriesOf(a)).toMatchObject([
      { endpoint_id: ofA.endpointId, event_id: event!.eventId, status: 'PENDING', trace_id: `trace-${a}`, attempts: 0 },
    ]);
    expect(await deliveriesOf(b)).toEqual([]);
  });

  it('matches the type exactly, case included', async () => {
    const tenantId = randomUUID();
    await kernel.addEndpoint({ tenantId, url: NOWHERE, types: ['invoice.created.v1'] });
    for (const type of ['Invoice.created.v1', 'invoice.created.v10', 'invoice.created', 'invoice.*']) {
      await publish(tenantId, type);
    }
    await routeAll();
    expect(await deliveriesOf(tenantId)).toEqual([]);
  });

  it('makes no delivery for a disabled or deleted endpoint', async () => {
    const tenantId = randomUUID();
    await kernel.addEndpoint({ tenantId, url: NOWHERE, types: ['t.v1'], isEnabled: false });
    const { endpointId } = await kernel.addEndpoint({ tenantId, url: NOWHERE, types: ['t.v1'] });
    await kernel.database.query('update kernel_webhook_endpoint set deleted_at = now() where endpoint_id = $1', [
      endpointId,
    ]);
    await publish(tenantId, 't.v1');
    await routeAll();
    expect(await deliveriesOf(tenantId)).toEqual([]);
  });

  it('[KER-1] marks events as PUBLISHED and says so in the ledger, also when nobody subscribes', async () => {
    const tenantId = randomUUID();
    const [event] = await publish(tenantId, 'nobody.cares.v1');
    await routeAll();
    expect(
      await kernel.database.query(
        'select status, published_at is not null as dated from kernel_outbox_event where event_id = $1',
        [event!.eventId],
      ),
    ).toEqual([{ status: 'PUBLISHED', dated: true }]);
    expect(
      await kernel.database.query('select kind, trace_id, actor, detail from kernel_ledger_entry where event_id = $1', [
        event!.eventId,
      ]),
    ).toEqual([{ kind: 'published', trace_id: `trace-${tenantId}`, actor: 'kernel', detail: { deliveries: 0 } }]);
  });

  it('[ADR-1] [KER-4.3] [KFM-3] routes each event once, however many routers run', async () => {
    const tenantId = randomUUID();
    await kernel.addEndpoint({ tenantId, url: NOWHERE, types: ['t.v1'] });
    await kernel.addEndpoint({ tenantId, url: NOWHERE, types: ['t.v1', 'u.v1'] });
    const events = await publish(tenantId, 't.v1', 60);
    await Promise.all([routeAll(), routeAll(), routeAll(), routeAll()]);
    const deliveries = await deliveriesOf(tenantId);
    expect(deliveries).toHaveLength(120);
    expect(new Set(deliveries.map((d) => `${d.endpoint_id} ${d.event_id}`)).size).toBe(120);
    expect(new Set(deliveries.map((d) => d.event_id))).toEqual(new Set(events.map((event) => event.eventId)));
  });

  it('[KER-4.3] leaves a delivery that exists for endpoint and event as it is', async () => {
    const tenantId = randomUUID();
    await kernel.addEndpoint({ tenantId, url: NOWHERE, types: ['t.v1'] });
    await publish(tenantId, 't.v1');
    await routeAll();
    const before = await deliveriesOf(tenantId);
    await kernel.database.query(`update kernel_outbox_event set status = 'PENDING' where tenant_id = $1`, [tenantId]);
    await routeAll();
    expect(await deliveriesOf(tenantId)).toEqual(before);
  });

  it('rolls back as a whole: an event that was not routed is still pending', async () => {
    const tenantId = randomUUID();
    await kernel.addEndpoint({ tenantId, url: NOWHERE, types: ['t.v1'] });
    await publish(tenantId, 't.v1');
    await kernel.database.query(
      "alter table kernel_ledger_entry add constraint no_more check (kind <> 'published') not valid",
    );
    await expect(router.routeBatch(NO_ROOM)).rejects.toThrow(/no_more/);
    expect(await deliveriesOf(tenantId)).toEqual([]);
    await kernel.database.query('alter table kernel_ledger_entry drop constraint no_more');
    await waitFor(async () => (await router.routeBatch(NO_ROOM)).routed === 0, 'the backlog to be routed');
    expect(await deliveriesOf(tenantId)).toHaveLength(1);
  });
});
