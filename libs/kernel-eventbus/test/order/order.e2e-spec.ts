import { randomUUID } from 'node:crypto';
import { defineEvent } from '../../src/envelope/define-event.js';
import { DeliveryReplay } from '../../src/replay/delivery-replay.js';
import { waitFor, WebhookReceiver, type ReceivedWebhook } from '@kernel/eventbus/testing';
import {
  startKernelApp,
  type KernelApp,
  type KernelAppOptions,
  type NewEndpoint,
} from '@kernel/test-support/kernel-app';

async function setup(options: KernelAppOptions & { endpoint?: Partial<NewEndpoint> } = {}) {
  const { endpoint, ...kernelOptions } = options;
  const kernel = await startKernelApp({
    ...kernelOptions,
    events: [defineEvent({ type: 'unordered.v1', ordering: 'none' })],
  });
  const receiver = await WebhookReceiver.start();
  const tenantId = randomUUID();
  await kernel.addEndpoint({ tenantId, url: receiver.url, types: ['a.v1', 'b.v1'], ordering: 'stream', ...endpoint });
  const publish = (streamKey: string, type = 'a.v1', name = '') =>
    kernel.em
      .fork()
      .transactional((em) =>
        kernel.outbox.publish({ type, tenantId, streamKey, traceId: 'trace-0001', payload: { name } }, { em }),
      );
  const settled = (count: number) =>
    waitFor(
      async () =>
        (await kernel.database.query(`select 1 from kernel_webhook_delivery where status in ('DELIVERED', 'DLQ')`))
          .length === count,
      `${count} settled deliveries`,
    );
  return { kernel, receiver, tenantId, publish, settled };
}

const sequenceOf = ({ headers }: ReceivedWebhook) => [
  headers['x-kernel-stream-key'],
  headers['x-kernel-stream-sequence'],
  headers['x-kernel-previous-sequence'],
];

describe('order per tenant and stream', () => {
  let bundle: Awaited<ReturnType<typeof setup>>;
  const start = async (options: Parameters<typeof setup>[0] = {}) => (bundle = await setup(options));
  afterEach(async () => {
    await bundle.kernel.close();
    await bundle.receiver.stop();
  });
  const sequences = async () =>
    bundle.kernel.database.query<{ name: string; stream_sequence: string | null }>(
      `select payload_jsonb->>'name' as name, stream_sequence from kernel_outbox_event order by stream_sequence`,
    );

  it('[KER-2.3] sends a stream one after the other, in commit order, with gapless numbers', async () => {
    const { receiver, publish, settled } = await start();
    for (let n = 1; n <= 25; n++) {
      await publish('s:1');
    }
    await settled(25);
    expect(receiver.received.map(sequenceOf)).toEqual(
      Array.from({ length: 25 }, (_, n) => ['s:1', String(n + 1), n === 0 ? undefined : String(n)]),
    );
  });

  it('[KER-2.3] keeps the rest of a stream waiting behind a failing head, and no other stream', async () => {
    const { receiver, publish, settled } = await start();
    receiver.answers(500, 500, 500);
    await publish('slow');
    await receiver.receives(1);
    await publish('slow');
    await publish('fast');
    await settled(3);
    const streams = receiver.received.map(
      ({ headers, statusCode }) =>
        `${headers['x-kernel-stream-key'] as string} ${headers['x-kernel-stream-sequence'] as string} ${statusCode}`,
    );
    expect(streams.filter((line) => line.startsWith('slow'))).toEqual(
      expect.arrayContaining(['slow 1 500', 'slow 1 204', 'slow 2 204']),
    );
    expect(streams.indexOf('slow 1 204')).toBeLessThan(streams.indexOf('slow 2 204'));
    expect(streams.filter((line) => line.startsWith('slow 2'))).toEqual(['slow 2 204']);
  });

  it('[KER-2.3] names the one routed before, so that a receiver with a filter can tell a gap from what it did not ask for', async () => {
    const { receiver, publish, settled } = await start({ endpoint: { types: ['a.v1'] } });
    for (const type of ['a.v1', 'b.v1', 'b.v1', 'a.v1', 'a.v1', 'b.v1', 'a.v1']) {
      await publish('s', type);
    }
    await settled(4);
    expect(receiver.received.map(sequenceOf)).toEqual([
      ['s', '1', undefined],
      ['s', '4', '1'],
      ['s', '5', '4'],
      ['s', '7', '5'],
    ]);
  });

  it('numbers by commit, not by begin: who commits first is first', async () => {
    const { kernel, tenantId } = await start({ role: 'api' });
    const event = (name: string) => ({
      type: 'a.v1',
      tenantId,
      streamKey: 's',
      traceId: 'trace-0001',
      payload: { name },
    });
    const [early, late] = [kernel.em.fork(), kernel.em.fork()];
    await early.begin();
    await kernel.outbox.publish(event('began first, commits last'), { em: early });
    await late.begin();
    await kernel.outbox.publish(event('began last, commits first'), { em: late });
    await late.commit();
    await early.commit();
    expect(await sequences()).toEqual([
      { name: 'began last, commits first', stream_sequence: '1' },
      { name: 'began first, commits last', stream_sequence: '2' },
    ]);
  });

  it('numbers in the order in which transactions change the same row', async () => {
    const { kernel, tenantId } = await start({ role: 'api' });
    await kernel.database.query('create table counter (id int primary key, n int not null)');
    await kernel.database.query('insert into counter values (1, 0)');
    const change = async (began: ReturnType<KernelApp['em']['fork']>, name: string) => {
      await began.execute('update counter set n = n + 1 where id = 1');
      const [{ n }] = await began.execute<[{ n: number }]>('select n from counter where id = 1');
      await kernel.outbox.publish(
        { type: 'a.v1', tenantId, streamKey: 's', traceId: 'trace-0001', payload: { name, n } },
        { em: began },
      );
    };
    const [first, second] = [kernel.em.fork(), kernel.em.fork()];
    await first.begin();
    await second.begin();
    await change(second, 'changed first');
    const waits = change(first, 'changed last').then(() => first.commit());
    await second.commit();
    await waits;
    expect((await sequences()).map(({ name }) => name)).toEqual(['changed first', 'changed last']);
  });

  it('gives no number to what rolls back, and takes several streams without deadlock', async () => {
    const { kernel, tenantId } = await start({ role: 'api' });
    const events = (keys: string[]) =>
      keys.map((streamKey) => ({ type: 'a.v1', tenantId, streamKey, traceId: 'trace-0001' }));
    await Promise.allSettled(
      Array.from({ length: 30 }, (_, n) =>
        kernel.em.fork().transactional(async (em) => {
          await kernel.outbox.publishAll(events(n % 2 ? ['x', 'y', 'x'] : ['y', 'x', 'x']), { em });
          if (n % 3 === 0) {
            throw new Error('rolls back');
          }
        }),
      ),
    );
    const rows = await kernel.database.query<{ stream_key: string; numbers: string[] }>(
      'select stream_key, array_agg(stream_sequence order by stream_sequence) as numbers from kernel_outbox_event group by 1 order by 1',
    );
    const upTo = (count: number) => Array.from({ length: count }, (_, n) => String(n + 1));
    expect(rows).toEqual([
      { stream_key: 'x', numbers: upTo(40) },
      { stream_key: 'y', numbers: upTo(20) },
    ]);
  });

  it('gives no number to a type that asks for none', async () => {
    const { publish } = await start({ role: 'api' });
    await publish('s', 'unordered.v1', 'none');
    await publish('s', 'a.v1', 'first');
    expect(await sequences()).toEqual([
      { name: 'first', stream_sequence: '1' },
      { name: 'none', stream_sequence: null },
    ]);
  });

  it('[KER-2.4] blocks the lane on a dead letter until it is replayed', async () => {
    const { kernel, receiver, publish, settled } = await start({ retry: { maxAttempts: 1 } });
    receiver.answers(500);
    await publish('s');
    await settled(1);
    await publish('s');
    await publish('other');
    await settled(2);
    expect(
      await kernel.database.query('select stream_key, blocked_by is not null as blocked from kernel_lane order by 1'),
    ).toEqual([
      { stream_key: 'other', blocked: false },
      { stream_key: 's', blocked: true },
    ]);
    const [{ delivery_id: deliveryId }] = (await kernel.database.query<{ delivery_id: string }>(
      `select delivery_id from kernel_webhook_delivery where status = 'DLQ'`,
    )) as [{ delivery_id: string }];
    await kernel.app.get(DeliveryReplay).replay({ deliveryId, actor: 'operator:ada', reason: 'repaired' });
    await settled(3);
    expect(receiver.received.filter(({ headers }) => headers['x-kernel-stream-key'] === 's').map(sequenceOf)).toEqual([
      ['s', '1', undefined],
      ['s', '1', undefined],
      ['s', '2', '1'],
    ]);
  });

  it('goes on past a dead letter where the endpoint says skip', async () => {
    const { receiver, publish, settled } = await start({
      retry: { maxAttempts: 1 },
      endpoint: { onDeadLetter: 'skip' },
    });
    receiver.answers(500);
    await publish('s');
    await publish('s');
    await settled(2);
    expect(
      receiver.received.map(({ headers, statusCode }) => [headers['x-kernel-stream-sequence'], statusCode]),
    ).toEqual([
      ['1', 500],
      ['2', 204],
    ]);
  });
});
