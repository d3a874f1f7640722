import { randomUUID } from 'node:crypto';
import { waitFor, WebhookReceiver } from '@kernel/eventbus/testing';
import { startKernelApp, type KernelApp } from '@kernel/test-support/kernel-app';

/** Records the `synchronous_commit` setting of each change of a delivery or an event. */
const WATCH = `
  create table seen (what text not null, setting text not null);
  create function note_commit() returns trigger language plpgsql security definer as $$ begin
    insert into seen values (tg_op || ' ' || regexp_replace(tg_table_name, '_p?[0-9]+.*$', ''), current_setting('synchronous_commit'));
    return null;
  end $$;
  create trigger watch after insert or update on kernel_webhook_delivery for each row execute function note_commit();
  create trigger watch after insert or update on kernel_outbox_event for each row execute function note_commit();
`;

describe('what a commit waits for', () => {
  let kernel: KernelApp;
  let receiver: WebhookReceiver;
  beforeAll(async () => {
    kernel = await startKernelApp();
    receiver = await WebhookReceiver.start();
    await kernel.database.alter(WATCH);
  });
  afterAll(async () => {
    await kernel.close();
    await receiver.stop();
  });

  it('[KER-2.1a] waits for the disk where an event is published and an outcome is recorded; what was routed can be routed again', async () => {
    const tenantId = randomUUID();
    await kernel.addEndpoint({ tenantId, url: receiver.url, types: ['t.v1'] });
    const event = { tenantId, type: 't.v1', streamKey: 's:1', traceId: 'trace-0001', payload: {} };
    await kernel.em.fork().transactional((em) => kernel.outbox.publish(event, { em }));
    await waitFor(async () => {
      const [row] = await kernel.database.query<{ status: string }>('select status from kernel_webhook_delivery');
      return row?.status === 'DELIVERED';
    }, 'the outcome to be recorded');

    const seen = await kernel.database.query<{ what: string; setting: string }>(
      'select distinct what, setting from seen order by what, setting',
    );

    expect(seen.map(({ what, setting }) => `${what}: ${setting}`)).toEqual([
      'INSERT kernel_outbox_event: on',
      'INSERT kernel_webhook_delivery: off',
      'UPDATE kernel_outbox_event: off',
      'UPDATE kernel_webhook_delivery: on',
    ]);
  });
});
