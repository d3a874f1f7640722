import { randomUUID } from 'node:crypto';
import { waitFor, WebhookReceiver } from '@kernel/eventbus/testing';
import pg from 'pg';
import { startKernelApp, type KernelApp } from '@kernel/test-support/kernel-app';

const GATE = 77;

/** Claims from the queue wait at the gate. Deliveries that are leased by the router do not pass it. */
const HOLD_UP = `
  create function hold_up() returns trigger language plpgsql as $$ begin
    perform pg_advisory_xact_lock(${GATE});
    return new;
  end $$;
  create trigger hold_up before update on kernel_webhook_delivery for each row
    when (old.leased_by is null and new.leased_by is not null) execute function hold_up();
`;

describe('while a look at the queue takes its time', () => {
  let kernel: KernelApp;
  let receiver: WebhookReceiver;
  let gatekeeper: pg.Client;
  beforeAll(async () => {
    kernel = await startKernelApp({ retry: { initialDelayMs: 10, maxDelayMs: 10 } });
    receiver = await WebhookReceiver.start();
    gatekeeper = new pg.Client({ connectionString: kernel.database.url });
    await gatekeeper.connect();
    await gatekeeper.query(`select pg_advisory_lock(${GATE})`);
    await kernel.database.alter(HOLD_UP);
  });
  afterAll(async () => {
    await gatekeeper.end();
    await kernel.close();
    await receiver.stop();
  });

  const publish = (tenantId: string) =>
    kernel.em
      .fork()
      .transactional((em) =>
        kernel.outbox.publish({ tenantId, type: 't.v1', streamKey: 's:1', traceId: 'trace-0001', payload: {} }, { em }),
      );
  const isHeldUp = async () => {
    const [row] = await kernel.database.query<{ waits: boolean }>(
      `select exists (select from pg_locks where locktype = 'advisory' and objid = ${GATE} and not granted
         and database = (select oid from pg_database where datname = current_database())) as waits`,
    );
    return row!.waits;
  };

  it('[ADR-1] what is published is routed and sent meanwhile', async () => {
    const tenantId = randomUUID();
    await kernel.addEndpoint({ tenantId, url: receiver.url, types: ['t.v1'] });
    receiver.answers(500);
    const first = await publish(tenantId);
    await waitFor(isHeldUp, 'the retry to be claimed');

    const second = await publish(tenantId);
    await receiver.receives(2);

    expect(await isHeldUp()).toBe(true);
    await gatekeeper.query(`select pg_advisory_unlock(${GATE})`);
    const received = await receiver.receives(3);
    expect(received.map(({ headers }) => headers['webhook-id'])).toEqual([
      first.eventId,
      second.eventId,
      first.eventId,
    ]);
  });
});
