import { randomUUID } from 'node:crypto';
import { waitFor } from '@kernel/eventbus/testing';
import pg from 'pg';
import { startKernelApp } from '../../../../test/support/kernel-app.js';
import type { FirstOutcomes } from '../../src/routing/first-outcomes.js';
import { Router } from '../../src/routing/router.js';
import { WorkerIdentity } from '../../src/runtime/worker-identity.js';
import { Rescuer } from '../../src/upkeep/rescuer.js';
import { FullBatch, NOWHERE, room, settled } from './full-batch.js';

const GATE = 79;
const THEN = new Date('2026-01-02T03:04:05.006Z');

describe('a full batch that is not written yet', () => {
  let full: FullBatch;
  beforeEach(async () => {
    full = await FullBatch.start();
  });
  afterEach(() => full.kernel.close());

  it('[KFM-3] is taken by nobody else while its deliveries are under way', async () => {
    await full.publish(2);
    const elsewhere = await startKernelApp({ role: 'api', database: full.kernel.database });
    await full.kernel.database.alter(`
      create function hold_up() returns trigger language plpgsql as $$ begin
        perform pg_advisory_xact_lock(${GATE}); return new;
      end $$;
      create trigger hold_up before insert on kernel_webhook_delivery for each row execute function hold_up();
    `);
    const gatekeeper = new pg.Client({ connectionString: full.kernel.database.url });
    await gatekeeper.connect();
    await gatekeeper.query(`select pg_advisory_lock(${GATE})`);
    const batch = await full.route((deliveries, { outcomes }) =>
      deliveries.forEach((delivery) => void outcomes!.take(settled(delivery))),
    );
    try {
      expect((await elsewhere.app.get(Router).routeBatch(room())).routed).toBe(0);
    } finally {
      await gatekeeper.end();
      await elsewhere.close();
    }
    await batch.written;
    expect(await full.rows()).toMatchObject([{ status: 'DELIVERED' }, { status: 'DELIVERED' }]);
  });

  it('[KER-2.2] that cannot be written is routed again, and then written before it is sent', async () => {
    await full.publish(2);
    await full.kernel.database.alter(`
      create sequence tries; grant usage, select on tries to public;
      create function refuse_first() returns trigger language plpgsql as $$ begin
        if nextval('tries') = 1 then raise exception 'not this time'; end if;
        return new;
      end $$;
      create trigger refuse_first before insert on kernel_webhook_delivery for each row execute function refuse_first();
    `);
    const taken: Promise<boolean>[] = [];
    const failed = await full.route((deliveries, { outcomes }) =>
      deliveries.forEach((delivery) => taken.push(outcomes!.take(settled(delivery)))),
    );
    await expect(failed.written).rejects.toThrow('not this time');
    expect(await Promise.all(taken)).toEqual([false, false]);
    expect(await full.statuses()).toEqual(['PENDING', 'PENDING']);

    const begun: (FirstOutcomes | undefined)[] = [];
    const routeAgain = () =>
      full.router.routeBatch(room(), undefined, undefined, (_, { outcomes }) => begun.push(outcomes));
    expect(await routeAgain()).toMatchObject({ routed: 2 });
    // The same bytes as the first time.
    const firstTime = new Date(failed.handedOff[0]!.dispatchedAt);
    expect(await full.rows()).toMatchObject([{ dispatched_at: firstTime }, { dispatched_at: firstTime }]);
    await full.kernel.app.get(Rescuer).rescue();
    expect(await full.batches()).toEqual([]);

    // Not only once: what refused it may let everything else pass.
    await full.publish(32);
    expect(await routeAgain()).toMatchObject({ routed: 32 });
    await full.publish(1);
    expect(await routeAgain()).toMatchObject({ routed: 1 });
    expect(begun).toEqual([undefined, undefined, undefined]);
  });

  it('[KER-2.3] is written first where some of it has to be judged: that must not stay locked', async () => {
    await full.kernel.addEndpoint({ tenantId: full.tenantId, url: NOWHERE, types: ['ordered.v1'], ordering: 'stream' });
    await full.publish(1);
    await full.publish(1, 'ordered.v1');
    const begun: [number, FirstOutcomes | undefined][] = [];
    const batch = await full.route((deliveries, { outcomes }) => begun.push([deliveries.length, outcomes]));
    await batch.written;
    expect(begun).toEqual([[1, undefined]]);
    expect((await full.router.routeBatch(room())).routed).toBe(1);
  });

  it('is noted, with who has it, before anything is sent, and no more when it is written', async () => {
    const events = await full.publish(2);
    const noted = Promise.withResolvers<unknown[]>();
    const batch = await full.route((deliveries, { outcomes }) => {
      noted.resolve(full.batches());
      void noted.promise.then(() => deliveries.forEach((delivery) => void outcomes!.take(settled(delivery))));
    });
    expect(await noted.promise).toEqual([
      { worker_id: full.kernel.app.get(WorkerIdentity).id, event_ids: events.map(({ eventId }) => eventId) },
    ]);
    await batch.written;
    expect(await full.batches()).toEqual([]);
  });

  it('of a worker that fell silent is suspect: it runs alone, and nothing of it is sent unwritten again', async () => {
    const events = await full.publish(3);
    const note = (workerId: string, eventIds: string[]) =>
      full.kernel.database.query('insert into kernel_unwritten_batch values ($1, $2, $3, array[$4::timestamptz])', [
        randomUUID(),
        workerId,
        eventIds,
        THEN,
      ]);
    await full.kernel.database.query(`insert into kernel_worker (worker_id) values ('alive')`);
    await note('gone', [events[0]!.eventId]);
    await note('alive', [events[1]!.eventId]);
    const begun: string[] = [];
    const batch = await full.route((deliveries, { outcomes }) =>
      deliveries.forEach((delivery) => {
        begun.push(delivery.eventId);
        void outcomes!.take(settled(delivery));
      }),
    );
    await full.kernel.app.get(Rescuer).rescue();
    await batch.written;

    expect(begun).toEqual([events[1]!.eventId, events[2]!.eventId]);
    expect(await full.rows()).toMatchObject([
      { status: 'PENDING', is_suspect: true, leased_by: null, dispatched_at: THEN },
      { status: 'DELIVERED', is_suspect: false, dispatched_at: THEN },
      { status: 'DELIVERED', is_suspect: false, is_settled: true },
    ]);
    await full.kernel.app.get(Rescuer).rescue();
    expect(await full.batches()).toEqual([]);
  });

  it('is written before it is sent where no second connection is to be had', async () => {
    await full.publish(1);
    const pool = await full.kernel.em.getConnection().getNativeClient();
    const held = await Promise.all(Array.from({ length: pool.options.max - 1 }, () => pool.connect()));
    const begun: [number, unknown[]][] = [];
    const batch = await full.route(
      (deliveries) => void full.rows().then((written) => begun.push([deliveries.length, written])),
    );
    await batch.written;
    held.forEach((connection) => connection.release());
    await waitFor(() => begun.length === 1, 'what was written to be begun');
    expect(begun).toMatchObject([[1, [{ status: 'PENDING', leased_by: expect.any(String) }]]]);
  });
});
