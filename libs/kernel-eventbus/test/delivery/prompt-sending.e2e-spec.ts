import { randomUUID } from 'node:crypto';
import { waitFor, WebhookReceiver } from '@kernel/eventbus/testing';
import pg from 'pg';
import { startKernelApp, type KernelApp } from '../../../../test/support/kernel-app.js';

const GATE = 78;

/** Whoever writes a delivery waits at the gate. */
const HOLD_UP = `
  create function hold_up() returns trigger language plpgsql as $$ begin
    perform pg_advisory_xact_lock(${GATE});
    return new;
  end $$;
  create trigger hold_up before insert on kernel_webhook_delivery for each row execute function hold_up();
`;

/** The first delivery that is written is refused; a sequence does not forget what was rolled back. */
const REFUSE_FIRST = `
  create sequence tries;
  grant usage on tries to public;
  create function refuse_first() returns trigger language plpgsql as $$ begin
    if nextval('tries') = 1 then
      raise exception 'not this time';
    end if;
    return new;
  end $$;
  create trigger refuse_first before insert on kernel_webhook_delivery for each row execute function refuse_first();
`;

describe('an event that was just published', () => {
  let kernel: KernelApp;
  let receiver: WebhookReceiver;
  beforeEach(async () => {
    kernel = await startKernelApp();
    receiver = await WebhookReceiver.start();
  });
  afterEach(async () => {
    await kernel.close();
    await receiver.stop();
  });

  const publish = async () => {
    const tenantId = randomUUID();
    await kernel.addEndpoint({ tenantId, url: receiver.url, types: ['t.v1'] });
    const event = { tenantId, type: 't.v1', streamKey: 's:1', traceId: 'trace-0001', payload: {} };
    return kernel.em.fork().transactional((em) => kernel.outbox.publish(event, { em }));
  };
  const deliveries = () =>
    kernel.database.query<{ delivery_id: string; status: string; attempts: number }>(
      'select delivery_id, status, attempts from kernel_webhook_delivery',
    );
  const settled = () =>
    waitFor(
      async () => (await deliveries()).some(({ status }) => status === 'DELIVERED'),
      'the outcome to be recorded',
    );

  it('[KER-2.1a] is sent while its delivery is being written, and its outcome is recorded behind that', async () => {
    await kernel.database.alter(HOLD_UP);
    const gatekeeper = new pg.Client({ connectionString: kernel.database.url });
    await gatekeeper.connect();
    await gatekeeper.query(`select pg_advisory_lock(${GATE})`);
    await publish();

    const [request] = await receiver.receives(1);
    expect(await deliveries()).toEqual([]);
    await gatekeeper.end();

    await settled();
    const delivery_id = request!.headers['x-kernel-delivery-id'];
    expect(await deliveries()).toEqual([{ delivery_id, status: 'DELIVERED', attempts: 1 }]);
    expect(request!.body['dispatchedAt']).toBe(await dispatchedAt());
  });

  const dispatchedAt = async () => {
    const [row] = await kernel.database.query<{ at: Date }>('select dispatched_at as at from kernel_webhook_delivery');
    return row!.at.toISOString();
  };

  it('[KER-2.1a] is routed and sent again when its delivery could not be written; both attempts are in the ledger', async () => {
    await kernel.database.alter(REFUSE_FIRST);
    const { eventId } = await publish();

    const requests = await receiver.receives(2);
    await settled();

    expect(requests.map(({ headers }) => headers['webhook-id'])).toEqual([eventId, eventId]);
    const ids = requests.map(({ headers }) => headers['x-kernel-delivery-id']);
    expect(await deliveries()).toEqual([{ delivery_id: ids[1], status: 'DELIVERED', attempts: 1 }]);
    await waitFor(async () => {
      const noted = await kernel.database.query<{ delivery_id: string }>(
        `select delivery_id from kernel_ledger_entry where kind = 'attempt' and event_id = $1`,
        [eventId],
      );
      return (
        noted
          .map((entry) => entry.delivery_id)
          .sort()
          .join() === ids.sort().join()
      );
    }, 'both attempts to be noted');
  });
});
