import { randomUUID } from 'node:crypto';
import { waitFor, WebhookReceiver } from '@kernel/eventbus/testing';
import pg from 'pg';
import { startKernelApp, type KernelApp } from '@kernel/test-support/kernel-app';
import { SlowReceiver } from '@kernel/test-support/slow-receiver';
import type { Handoff } from '../../src/dispatch/webhook-dispatcher.js';
import { Slots } from '../../src/worker/slots.js';
import { Router } from '../../src/routing/router.js';
import { WakeUp } from '../../src/runtime/wake-up.js';

const GATE = 78;

/** Writes of deliveries wait at the gate. */
const HOLD_UP = `
  create function hold_up() returns trigger language plpgsql as $$ begin
    perform pg_advisory_xact_lock(${GATE});
    return new;
  end $$;
  create trigger hold_up before insert on kernel_webhook_delivery for each row execute function hold_up();
`;

/** Refuses the first `count` inserts of deliveries. A sequence counts them, because rollbacks do not reset it. */
const refuseFirst = (count: number) => `
  create sequence tries;
  grant usage, select on tries to public;
  create function refuse_first() returns trigger language plpgsql as $$ begin
    if nextval('tries') <= ${count} then
      raise exception 'not this time';
    end if;
    return new;
  end $$;
  create trigger refuse_first before insert on kernel_webhook_delivery for each row execute function refuse_first();
`;

const LOCKS = `select from pg_stat_activity where datname = current_database() and state = 'idle in transaction'`;

describe('an event that was just published', () => {
  let kernel: KernelApp;
  let receiver: WebhookReceiver;
  let gatekeeper: pg.Client | undefined;
  const start = async (options: Parameters<typeof startKernelApp>[0] = {}) => {
    kernel = await startKernelApp(options);
  };
  beforeEach(async () => {
    receiver = await WebhookReceiver.start();
  });
  afterEach(async () => {
    await gatekeeper?.end();
    gatekeeper = undefined;
    await kernel.close();
    await receiver.stop();
  });

  const shutGate = async () => {
    await kernel.database.alter(HOLD_UP);
    gatekeeper = new pg.Client({ connectionString: kernel.database.url });
    await gatekeeper.connect();
    await gatekeeper.query(`select pg_advisory_lock(${GATE})`);
  };
  const openGate = async () => {
    await gatekeeper!.end();
    gatekeeper = undefined;
  };
  const isHeldUp = async () => {
    const [row] = await kernel.database.query<{ waits: boolean }>(
      `select exists (select from pg_locks where locktype = 'advisory' and objid = ${GATE} and not granted
         and database = (select oid from pg_database where datname = current_database())) as waits`,
    );
    return row!.waits;
  };
  const publish = async ({ count = 1, ...endpoint }: { count?: number; maxInFlight?: number; url?: string } = {}) => {
    const tenantId = randomUUID();
    const { endpointId } = await kernel.addEndpoint({ tenantId, url: receiver.url, types: ['t.v1'], ...endpoint });
    const event = { tenantId, type: 't.v1', streamKey: 's:1', traceId: 'trace-0001', payload: {} };
    const events = await kernel.em
      .fork()
      .transactional((em) => kernel.outbox.publishAll(Array<typeof event>(count).fill(event), { em }));
    return { endpointId, eventId: events[0]!.eventId };
  };
  const deliveries = () =>
    kernel.database.query<{ delivery_id: string; status: string; attempts: number }>(
      'select delivery_id, status, attempts from kernel_webhook_delivery',
    );
  const areSettled = (count = 1) =>
    waitFor(async () => {
      const delivered = (await deliveries()).filter(({ status }) => status === 'DELIVERED');
      return delivered.length === count;
    }, 'the outcomes to be recorded');

  it('[KER-2.1a] is sent while its delivery is being written, and its outcome is recorded behind that', async () => {
    await start();
    await shutGate();
    await publish();

    const [request] = await receiver.receives(1);
    expect(await deliveries()).toEqual([]);
    await openGate();

    await areSettled();
    const delivery_id = request!.headers['x-kernel-delivery-id'];
    expect(await deliveries()).toEqual([{ delivery_id, status: 'DELIVERED', attempts: 1 }]);
    const [row] = await kernel.database.query<{ at: Date }>('select dispatched_at as at from kernel_webhook_delivery');
    expect(request!.body['dispatchedAt']).toBe(row!.at.toISOString());
  });

  it('[KER-2.1a] is sent once more when its delivery could not be written; both attempts are in the ledger', async () => {
    await start();
    await kernel.database.alter(refuseFirst(1));
    const { eventId } = await publish();

    const requests = await receiver.receives(2);
    await areSettled();

    expect(requests.map(({ headers }) => headers['webhook-id'])).toEqual([eventId, eventId]);
    const ids = requests.map(({ headers }) => headers['x-kernel-delivery-id']);
    expect(await deliveries()).toEqual([{ delivery_id: ids[1], status: 'DELIVERED', attempts: 1 }]);
    await waitFor(async () => {
      const noted = await kernel.database.query<{ delivery_id: string }>(
        `select delivery_id from kernel_ledger_entry where kind = 'attempt' and event_id = $1`,
        [eventId],
      );
      const notedIds = noted.map((entry) => entry.delivery_id);
      return notedIds.sort().join() === ids.sort().join();
    }, 'both attempts to be noted');
  });

  it('[KER-2.1a] is not sent again and again while its delivery cannot be written', async () => {
    await start();
    await kernel.database.alter(refuseFirst(6));
    await publish();
    // Events published meanwhile make the worker poll again.
    const nudging = setInterval(() => kernel.app.get(WakeUp).publishedElsewhere(), 20);

    await areSettled().finally(() => clearInterval(nudging));

    expect(receiver.received).toHaveLength(2);
  });

  it('[KER-2.1a] is not sent again because nothing could be taken meanwhile', async () => {
    await start({ role: 'api' });
    await kernel.database.alter(refuseFirst(2));
    await publish();
    let begun = 0;
    const route = () => {
      const room = new Slots({ total: 10, perEndpoint: 10, prefetch: 1 }).reserve(10);
      const begin = (deliveries: unknown[]) => void (begun += deliveries.length);
      return kernel.app.get(Router).routeBatch(room, { begin });
    };
    await expect(route()).rejects.toThrow('not this time');
    expect(begun).toBe(1);

    // Like the remaining session of a dead worker: rows that it has locked are skipped.
    const holder = new pg.Client({ connectionString: kernel.database.url });
    await holder.connect();
    await holder.query('begin; select from kernel_outbox_event for update');
    expect((await route()).routed).toBe(0);
    await holder.end();

    await waitFor(async () => (await kernel.database.query(LOCKS)).length === 0, 'the locks to be gone');
    await expect(route()).rejects.toThrow('not this time');
    expect(begun).toBe(1);
    expect((await route()).routed).toBe(1);
    expect(begun).toBe(2);
  });

  it('[KER-2.4] goes back into the queue when its turn is taken away before its delivery is written', async () => {
    await start();
    await shutGate();
    const mayAnswer = Promise.withResolvers<void>();
    const slow = await SlowReceiver.start(mayAnswer.promise);
    const { endpointId } = await publish({ count: 2, maxInFlight: 1, url: slow.url });
    await slow.isAsked;

    kernel.app.get(WakeUp).endpointChanged({ endpointId });
    mayAnswer.resolve();
    await openGate();

    await areSettled(2).finally(() => slow.stop());
    expect(slow.count).toBe(2);
  });

  it('[FR-013] waits to be written where a dispatcher of the host takes it, which may know an event only once', async () => {
    const rowsAtHandoff: number[] = [];
    const broker = {
      name: 'broker',
      dispatch: async (handoff: Handoff) => {
        rowsAtHandoff.push((await deliveries()).length);
        await handoff.invoke();
        return { status: 'accepted' as const };
      },
    };
    await start({ dispatchers: [broker], defaultDispatcher: 'broker' });
    await shutGate();
    await publish();
    await waitFor(isHeldUp, 'the delivery to be written');
    await openGate();

    await areSettled();
    expect(rowsAtHandoff).toEqual([1]);
  });
});
