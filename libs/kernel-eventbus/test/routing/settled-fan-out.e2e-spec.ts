import { randomUUID } from 'node:crypto';
import pg from 'pg';
import type { Outcome } from '../../src/delivery/judge-attempt.js';
import { SettlementRecorder } from '../../src/delivery/settlement-recorder.js';
import type { FirstOutcomes } from '../../src/routing/first-outcomes.js';
import type { BeginSending } from '../../src/routing/plain-fan-out.js';
import { WorkerIdentity } from '../../src/runtime/worker-identity.js';
import { FullBatch, room, settled } from './full-batch.js';

const DELIVERED: Outcome = { kind: 'delivered', statusCode: 204 };
const REFUSED = { errorClass: 'http_4xx', error: 'answered 400', statusCode: 400 };
const FAILED = { errorClass: 'http_5xx', error: 'answered 503', statusCode: 503 };

describe('a full batch', () => {
  let full: FullBatch;
  beforeEach(async () => {
    full = await FullBatch.start();
  });
  afterEach(() => full.kernel.close());

  const countUpdates = () =>
    full.kernel.database.alter(`
      create table updated (delivery_id uuid);
      grant insert on updated to public;
      create function note_update() returns trigger language plpgsql as $$ begin
        insert into updated values (new.delivery_id); return new;
      end $$;
      create trigger note_update before update on kernel_webhook_delivery for each row execute function note_update();
    `);

  it('[KER-5c] is written once, each delivery as it ended, with its attempt in the ledger', async () => {
    await countUpdates();
    const events = await full.publish(3);
    const outcomes: Outcome[] = [
      DELIVERED,
      { kind: 'retry', delayMs: 60_000, ...FAILED },
      { kind: 'dead-letter', reason: 'permanent_failure', ...REFUSED },
    ];
    const taken: Promise<boolean>[] = [];
    const batch = await full.route((deliveries, { outcomes: first }) =>
      deliveries.forEach((delivery, place) => taken.push(first!.take(settled(delivery, outcomes[place])))),
    );
    await batch.written;

    expect(await Promise.all(taken)).toEqual([true, true, true]);
    expect(await full.rows()).toMatchObject([
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
    expect(await full.kernel.database.query('select * from updated')).toEqual([]);
    expect(await full.statuses()).toEqual(Array(3).fill('PUBLISHED'));
    const ledger = await full.kernel.database.query<Record<string, unknown>>(
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
    const failures = await full.kernel.database.query(
      `select from kernel_webhook_delivery d join kernel_ledger_entry l on l.entry_id::text = d.last_error_ref and l.kind = 'attempt'`,
    );
    expect(failures).toHaveLength(2);
  });

  it('[KER-5c] does not wait for what is slow: that is written under a lease, and its outcome by itself', async () => {
    await full.publish(2);
    let late: Promise<boolean> | undefined;
    const batch = await full.route(([quick, slow], { outcomes, written }) => {
      void outcomes!.take(settled(quick!));
      late = written.then(() => outcomes!.take(settled(slow!)));
    });
    await batch.written;
    const workerId = full.kernel.app.get(WorkerIdentity).id;
    expect(await full.rows()).toMatchObject([
      { status: 'DELIVERED', leased_by: null },
      { status: 'PENDING', attempts: 0, leased_by: workerId, lease_epoch: 1, is_due: true },
    ]);

    expect(await late).toBe(false);
    await full.kernel.app.get(SettlementRecorder).record(settled(batch.handedOff[1]!));
    expect(await full.rows()).toMatchObject([{ status: 'DELIVERED' }, { status: 'DELIVERED', leased_by: null }]);
  });

  it('[KER-5c] does not fail because of one outcome that the database would refuse', async () => {
    await full.publish(3);
    const unstorable: Outcome[] = [
      { kind: 'retry', delayMs: 1_000, ...FAILED, error: 'a\0b' },
      { kind: 'retry', delayMs: 0.5, ...FAILED },
    ];
    const taken: Promise<boolean>[] = [];
    const batch = await full.route((deliveries, { outcomes }) =>
      deliveries.forEach((delivery, place) => taken.push(outcomes!.take(settled(delivery, unstorable[place])))),
    );
    await batch.written;
    expect(await Promise.all(taken)).toEqual([false, false, true]);
    expect(await full.rows()).toMatchObject([
      { status: 'PENDING', leased_by: expect.any(String) },
      { status: 'PENDING', leased_by: expect.any(String) },
      { status: 'DELIVERED' },
    ]);
  });

  it('knows that more waits, though all that some tenant has is in the hands of another', async () => {
    // Each of two tenants has a share of two; one has used it up, of the other nothing can be had.
    const other = randomUUID();
    await full.publish(3);
    await full.kernel.em
      .fork()
      .transactional((em) =>
        full.kernel.outbox.publish(
          { tenantId: other, type: 'nobody.hears.this.v1', streamKey: 's', traceId: 'trace-0001' },
          { em },
        ),
      );
    const holder = new pg.Client({ connectionString: full.kernel.database.url });
    await holder.connect();
    await holder.query('begin');
    await holder.query('select from kernel_outbox_event where tenant_id = $1 for update', [other]);
    const giveUp: BeginSending = (deliveries, { outcomes }) =>
      deliveries.forEach((delivery) => void outcomes?.giveUp(delivery));
    const first = await full.router.routeBatch(room(), 4, undefined, giveUp);
    await first.written;
    expect(first.routed).toBe(2);
    expect(full.router.hasBacklog).toBe(true);
    await holder.query('rollback');
    await holder.end();
    const second = await full.router.routeBatch(room(), 4, undefined, giveUp);
    await second.written;
    expect(second.routed).toBe(2);
    expect(full.router.hasBacklog).toBe(false);
  });

  it('leaves a delivery that exists already as it is', async () => {
    const [event] = await full.publish(1);
    await full.kernel.database.query(
      `insert into kernel_webhook_delivery
         (delivery_id, tenant_id, endpoint_id, event_id, event_type, trace_id, dispatched_at, status)
       values ($1, $2, $3, $4, 't.v1', 'trace-0001', now(), 'DLQ')`,
      [randomUUID(), full.tenantId, full.endpointId, event!.eventId],
    );
    let taken: Promise<boolean> | undefined;
    const batch = await full.route(([delivery], { outcomes }) => (taken = outcomes!.take(settled(delivery!))));
    await batch.written;
    expect(await taken).toBe(false);
    expect(await full.rows()).toMatchObject([{ status: 'DLQ', attempts: 0 }]);
    expect(await full.statuses()).toEqual(['PUBLISHED']);
  });

  it('[FR-013] waits to be written where a dispatcher of the host takes it, which may know an event only once', async () => {
    await full.kernel.database.query(
      `update kernel_webhook_endpoint set dispatcher = 'broker' where endpoint_id = $1`,
      [full.endpointId],
    );
    await full.publish(1);
    const begun: [number, FirstOutcomes | undefined][] = [];
    const batch = await full.route((deliveries, { outcomes }) => begun.push([deliveries.length, outcomes]));
    await batch.written;
    expect(begun).toEqual([[1, undefined]]);
    expect(await full.rows()).toMatchObject([{ status: 'PENDING', leased_by: expect.any(String) }]);
  });
});
