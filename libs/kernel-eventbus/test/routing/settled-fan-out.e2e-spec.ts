import { randomUUID } from 'node:crypto';
import { waitFor } from '@kernel/eventbus/testing';
import pg from 'pg';
import { startKernelApp, type KernelApp } from '../../../../test/support/kernel-app.js';
import type { ClaimedDelivery } from '../../src/delivery/claimed-delivery.js';
import type { Outcome } from '../../src/delivery/judge-attempt.js';
import { settleAttempt, type Settlement } from '../../src/delivery/settlement.js';
import { SettlementRecorder } from '../../src/delivery/settlement-recorder.js';
import { Slots } from '../../src/delivery/slots.js';
import type { FirstOutcomes } from '../../src/routing/first-outcomes.js';
import type { BeginSending } from '../../src/routing/plain-fan-out.js';
import { Router } from '../../src/routing/router.js';
import { WorkerIdentity } from '../../src/runtime/worker-identity.js';
import { Rescuer } from '../../src/upkeep/rescuer.js';

const GATE = 79;
const THEN = new Date('2026-01-02T03:04:05.006Z');
const NOWHERE = 'http://127.0.0.1:9/hook';
const DELIVERED: Outcome = { kind: 'delivered', statusCode: 204 };
const REFUSED = { errorClass: 'http_4xx', error: 'answered 400', statusCode: 400 };
const FAILED = { errorClass: 'http_5xx', error: 'answered 503', statusCode: 503 };

interface DeliveryRow {
  delivery_id: string;
  status: string;
  attempts: number;
  last_status_code: number | null;
  dead_letter_reason: string | null;
  leased_by: string | null;
  lease_epoch: number;
  is_suspect: boolean;
  is_due: boolean | null;
  is_settled: boolean;
}

describe('a full batch', () => {
  let kernel: KernelApp;
  let tenantId: string;
  let endpointId: string;
  beforeEach(async () => {
    kernel = await startKernelApp({ role: 'api' });
    tenantId = randomUUID();
    ({ endpointId } = await kernel.addEndpoint({ tenantId, url: NOWHERE, types: ['t.v1'] }));
    // One that was full before it: the router takes it that more waits.
    await publish(1, 'nobody.hears.this.v1');
    expect((await router().routeBatch(room(), 1)).routed).toBe(1);
  });
  afterEach(() => kernel.close());

  const router = () => kernel.app.get(Router);
  const room = () => new Slots({ total: 100, perEndpoint: 100, prefetch: 1 }).reserve(100);
  const publish = (count: number, type = 't.v1') =>
    kernel.em.fork().transactional((em) =>
      kernel.outbox.publishAll(
        Array.from({ length: count }, (_, n) => ({
          tenantId,
          type,
          streamKey: `s:${n}`,
          traceId: 'trace-0001',
          aggregateType: 'order',
          aggregateId: `o-${n}`,
          attributes: { n },
        })),
        { em },
      ),
    );
  const route = async (begin: BeginSending) => {
    const { written, ...batch } = await router().routeBatch(room(), undefined, undefined, begin);
    return { ...batch, written: written! };
  };
  const settled = (delivery: ClaimedDelivery, outcome: Outcome = DELIVERED): Settlement =>
    settleAttempt(delivery, outcome, {
      bodySha256: 'b'.repeat(64),
      redaction: { policyId: null, policyVersion: null, removedPaths: null },
      handoff: { dispatcher: 'http', status: 'accepted' },
      latencyMs: 7,
      responseExcerpt: 'it said "so"',
    });
  const rows = () =>
    kernel.database.query<DeliveryRow & Record<string, unknown>>(
      `select *, next_attempt_at <= now() as is_due, settled_at is not null as is_settled
       from kernel_webhook_delivery order by delivery_id`,
    );
  const batches = () =>
    kernel.database.query<{ worker_id: string; event_ids: string[] }>(
      'select worker_id, event_ids from kernel_unwritten_batch',
    );
  const statuses = async () =>
    (
      await kernel.database.query<{ status: string }>(
        `select status from kernel_outbox_event where type = 't.v1' order by event_id`,
      )
    ).map(({ status }) => status);
  const countUpdates = () =>
    kernel.database.alter(`
      create table updated (delivery_id uuid);
      grant insert on updated to public;
      create function note_update() returns trigger language plpgsql as $$ begin
        insert into updated values (new.delivery_id); return new;
      end $$;
      create trigger note_update before update on kernel_webhook_delivery for each row execute function note_update();
    `);

  it('[KER-5c] is written once, each delivery as it ended, with its attempt in the ledger', async () => {
    await countUpdates();
    const events = await publish(3);
    const outcomes: Outcome[] = [
      DELIVERED,
      { kind: 'retry', delayMs: 60_000, ...FAILED },
      { kind: 'dead-letter', reason: 'permanent_failure', ...REFUSED },
    ];
    const taken: Promise<boolean>[] = [];
    const batch = await route((deliveries, { outcomes: first }) =>
      deliveries.forEach((delivery, place) => taken.push(first!.take(settled(delivery, outcomes[place])))),
    );
    await batch.written;

    expect(await Promise.all(taken)).toEqual([true, true, true]);
    expect(await rows()).toMatchObject([
      {
        status: 'DELIVERED',
        attempts: 1,
        last_status_code: 204,
        leased_by: null,
        lease_epoch: 1,
        is_due: null,
        is_settled: true,
      },
      {
        status: 'FAILED',
        attempts: 1,
        last_status_code: 503,
        error_class: 'http_5xx',
        leased_by: null,
        is_due: false,
        is_settled: false,
      },
      {
        status: 'DLQ',
        attempts: 1,
        last_status_code: 400,
        dead_letter_reason: 'permanent_failure',
        is_due: null,
        is_settled: true,
      },
    ]);
    expect(await kernel.database.query('select * from updated')).toEqual([]);
    expect(await statuses()).toEqual(Array(3).fill('PUBLISHED'));
    const ledger = await kernel.database.query<Record<string, unknown>>(
      `select event_id, kind, attempt, status_code, latency_ms, response_excerpt, reason, aggregate_id, attributes, detail
       from kernel_ledger_entry where event_type = 't.v1' order by event_id, entry_id`,
    );
    const of = (place: number) => ledger.filter(({ event_id }) => event_id === events[place]!.eventId);
    const subject = (n: number) => ({ aggregate_id: `o-${n}`, attributes: { n } });
    const sent = {
      attempt: 1,
      latency_ms: 7,
      response_excerpt: 'it said "so"',
      detail: { dispatcher: 'http', handoff: 'accepted' },
    };
    expect(of(0)).toMatchObject([
      { kind: 'published', detail: { deliveries: 1 }, ...subject(0) },
      { kind: 'attempt', status_code: 204, ...sent, ...subject(0) },
      { kind: 'delivered', status_code: 204, attempt: 1, ...subject(0) },
    ]);
    expect(of(1)).toMatchObject([{ kind: 'published' }, { kind: 'attempt', status_code: 503, ...sent, ...subject(1) }]);
    expect(of(2)).toMatchObject([
      { kind: 'published' },
      { kind: 'attempt', status_code: 400, ...sent },
      { kind: 'dead-lettered', reason: 'permanent_failure', ...subject(2) },
    ]);
    const failures = await kernel.database.query(
      `select from kernel_webhook_delivery d join kernel_ledger_entry l on l.entry_id::text = d.last_error_ref and l.kind = 'attempt'`,
    );
    expect(failures).toHaveLength(2);
  });

  it('[KFM-3] is taken by nobody else while its deliveries are under way', async () => {
    await publish(2);
    const elsewhere = await startKernelApp({ role: 'api', database: kernel.database });
    await kernel.database.alter(`
      create function hold_up() returns trigger language plpgsql as $$ begin
        perform pg_advisory_xact_lock(${GATE}); return new;
      end $$;
      create trigger hold_up before insert on kernel_webhook_delivery for each row execute function hold_up();
    `);
    const gatekeeper = new pg.Client({ connectionString: kernel.database.url });
    await gatekeeper.connect();
    await gatekeeper.query(`select pg_advisory_lock(${GATE})`);
    const batch = await route((deliveries, { outcomes }) =>
      deliveries.forEach((delivery) => void outcomes!.take(settled(delivery))),
    );
    try {
      expect((await elsewhere.app.get(Router).routeBatch(room())).routed).toBe(0);
    } finally {
      await gatekeeper.end();
      await elsewhere.close();
    }
    await batch.written;
    expect(await rows()).toMatchObject([{ status: 'DELIVERED' }, { status: 'DELIVERED' }]);
  });

  it('[KER-5c] does not wait for what is slow: that is written under a lease, and its outcome by itself', async () => {
    await publish(2);
    let late: Promise<boolean> | undefined;
    const batch = await route(([quick, slow], { outcomes, written }) => {
      void outcomes!.take(settled(quick!));
      late = written.then(() => outcomes!.take(settled(slow!)));
    });
    await batch.written;
    const workerId = kernel.app.get(WorkerIdentity).id;
    expect(await rows()).toMatchObject([
      { status: 'DELIVERED', leased_by: null },
      { status: 'PENDING', attempts: 0, leased_by: workerId, lease_epoch: 1, is_due: true },
    ]);

    expect(await late).toBe(false);
    await kernel.app.get(SettlementRecorder).record(settled(batch.handedOff[1]!));
    expect(await rows()).toMatchObject([{ status: 'DELIVERED' }, { status: 'DELIVERED', leased_by: null }]);
  });

  it('[KER-2.2] that cannot be written is routed again, and then written before it is sent', async () => {
    await publish(2);
    await kernel.database.alter(`
      create sequence tries; grant usage, select on tries to public;
      create function refuse_first() returns trigger language plpgsql as $$ begin
        if nextval('tries') = 1 then raise exception 'not this time'; end if;
        return new;
      end $$;
      create trigger refuse_first before insert on kernel_webhook_delivery for each row execute function refuse_first();
    `);
    const taken: Promise<boolean>[] = [];
    const failed = await route((deliveries, { outcomes }) =>
      deliveries.forEach((delivery) => taken.push(outcomes!.take(settled(delivery)))),
    );
    await expect(failed.written).rejects.toThrow('not this time');
    expect(await Promise.all(taken)).toEqual([false, false]);
    expect(await statuses()).toEqual(['PENDING', 'PENDING']);

    const begun: (FirstOutcomes | undefined)[] = [];
    const routeAgain = () =>
      router().routeBatch(room(), undefined, undefined, (_, { outcomes }) => begun.push(outcomes));
    expect(await routeAgain()).toMatchObject({ routed: 2 });
    // The same bytes as the first time.
    const firstTime = new Date(failed.handedOff[0]!.dispatchedAt);
    expect(await rows()).toMatchObject([{ dispatched_at: firstTime }, { dispatched_at: firstTime }]);
    await kernel.app.get(Rescuer).rescue();
    expect(await batches()).toEqual([]);

    // Not only once: what refused it may let everything else pass.
    await publish(32);
    expect(await routeAgain()).toMatchObject({ routed: 32 });
    await publish(1);
    expect(await routeAgain()).toMatchObject({ routed: 1 });
    expect(begun).toEqual([undefined, undefined, undefined]);
  });

  it('[KER-5c] does not fail because of one outcome that the database would refuse', async () => {
    await publish(3);
    const unstorable: Outcome[] = [
      { kind: 'retry', delayMs: 1_000, ...FAILED, error: 'a\0b' },
      { kind: 'retry', delayMs: 0.5, ...FAILED },
    ];
    const taken: Promise<boolean>[] = [];
    const batch = await route((deliveries, { outcomes }) =>
      deliveries.forEach((delivery, place) => taken.push(outcomes!.take(settled(delivery, unstorable[place])))),
    );
    await batch.written;
    expect(await Promise.all(taken)).toEqual([false, false, true]);
    expect(await rows()).toMatchObject([
      { status: 'PENDING', leased_by: expect.any(String) },
      { status: 'PENDING', leased_by: expect.any(String) },
      { status: 'DELIVERED' },
    ]);
  });

  it('[KER-2.3] is written first where some of it has to be judged: that must not stay locked', async () => {
    await kernel.addEndpoint({ tenantId, url: NOWHERE, types: ['ordered.v1'], ordering: 'stream' });
    await publish(1);
    await publish(1, 'ordered.v1');
    const begun: [number, FirstOutcomes | undefined][] = [];
    const batch = await route((deliveries, { outcomes }) => begun.push([deliveries.length, outcomes]));
    await batch.written;
    expect(begun).toEqual([[1, undefined]]);
    expect((await router().routeBatch(room())).routed).toBe(1);
  });

  it('leaves room for the next one where only some tenants have more', async () => {
    // Each of two tenants has a share of two; one has used it up.
    const other = randomUUID();
    await publish(3);
    await kernel.em
      .fork()
      .transactional((em) =>
        kernel.outbox.publish(
          { tenantId: other, type: 'nobody.hears.this.v1', streamKey: 's', traceId: 'trace-0001' },
          { em },
        ),
      );
    const giveUp: BeginSending = (deliveries, { outcomes }) =>
      deliveries.forEach((delivery) => void outcomes?.giveUp(delivery));
    const first = await router().routeBatch(room(), 4, undefined, giveUp);
    await first.written;
    expect(first.routed).toBe(3);
    expect(router().hasBacklog).toBe(true);
    const second = await router().routeBatch(room(), 4, undefined, giveUp);
    await second.written;
    expect(second.routed).toBe(1);
    expect(router().hasBacklog).toBe(false);
  });

  it('leaves a delivery that exists already as it is', async () => {
    const [event] = await publish(1);
    await kernel.database.query(
      `insert into kernel_webhook_delivery
         (delivery_id, tenant_id, endpoint_id, event_id, event_type, trace_id, dispatched_at, status)
       values ($1, $2, $3, $4, 't.v1', 'trace-0001', now(), 'DLQ')`,
      [randomUUID(), tenantId, endpointId, event!.eventId],
    );
    let taken: Promise<boolean> | undefined;
    const batch = await route(([delivery], { outcomes }) => (taken = outcomes!.take(settled(delivery!))));
    await batch.written;
    expect(await taken).toBe(false);
    expect(await rows()).toMatchObject([{ status: 'DLQ', attempts: 0 }]);
    expect(await statuses()).toEqual(['PUBLISHED']);
  });

  it('is noted, with who has it, before anything is sent, and no more when it is written', async () => {
    const events = await publish(2);
    const noted = Promise.withResolvers<unknown[]>();
    const batch = await route((deliveries, { outcomes }) => {
      noted.resolve(batches());
      void noted.promise.then(() => deliveries.forEach((delivery) => void outcomes!.take(settled(delivery))));
    });
    expect(await noted.promise).toEqual([
      { worker_id: kernel.app.get(WorkerIdentity).id, event_ids: events.map(({ eventId }) => eventId) },
    ]);
    await batch.written;
    expect(await batches()).toEqual([]);
  });

  it('of a worker that fell silent is suspect: it runs alone, and nothing of it is sent unwritten again', async () => {
    const events = await publish(3);
    const note = (workerId: string, eventIds: string[]) =>
      kernel.database.query('insert into kernel_unwritten_batch values ($1, $2, $3, array[$4::timestamptz])', [
        randomUUID(),
        workerId,
        eventIds,
        THEN,
      ]);
    await kernel.database.query(`insert into kernel_worker (worker_id) values ('alive')`);
    await note('gone', [events[0]!.eventId]);
    await note('alive', [events[1]!.eventId]);
    const begun: string[] = [];
    const batch = await route((deliveries, { outcomes }) =>
      deliveries.forEach((delivery) => {
        begun.push(delivery.eventId);
        void outcomes!.take(settled(delivery));
      }),
    );
    await kernel.app.get(Rescuer).rescue();
    await batch.written;

    expect(begun).toEqual([events[1]!.eventId, events[2]!.eventId]);
    expect(await rows()).toMatchObject([
      { status: 'PENDING', is_suspect: true, leased_by: null, dispatched_at: THEN },
      { status: 'DELIVERED', is_suspect: false, dispatched_at: THEN },
      { status: 'DELIVERED', is_suspect: false, is_settled: true },
    ]);
    await kernel.app.get(Rescuer).rescue();
    expect(await batches()).toEqual([]);
  });

  it('is written before it is sent where no second connection is to be had', async () => {
    await publish(1);
    const pool = await kernel.em.getConnection().getNativeClient();
    const held = await Promise.all(Array.from({ length: pool.options.max - 1 }, () => pool.connect()));
    const begun: [number, unknown[]][] = [];
    const batch = await route((deliveries) => void rows().then((written) => begun.push([deliveries.length, written])));
    await batch.written;
    held.forEach((connection) => connection.release());
    await waitFor(() => begun.length === 1, 'what was written to be begun');
    expect(begun).toMatchObject([[1, [{ status: 'PENDING', leased_by: expect.any(String) }]]]);
  });

  it('[FR-013] waits to be written where a dispatcher of the host takes it, which may know an event only once', async () => {
    await kernel.database.query(`update kernel_webhook_endpoint set dispatcher = 'broker' where endpoint_id = $1`, [
      endpointId,
    ]);
    await publish(1);
    const begun: [number, FirstOutcomes | undefined][] = [];
    const batch = await route((deliveries, { outcomes }) => begun.push([deliveries.length, outcomes]));
    await batch.written;
    expect(begun).toEqual([[1, undefined]]);
    expect(await rows()).toMatchObject([{ status: 'PENDING', leased_by: expect.any(String) }]);
  });
});
