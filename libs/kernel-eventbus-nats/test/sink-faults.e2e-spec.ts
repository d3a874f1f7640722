import { waitFor } from '@kernel/eventbus/testing';
import { AckPolicy, jetstream } from '@nats-io/jetstream';
import { describeWithNats } from '../../../test/support/nats-server.js';
import { EVENTS, SinkBench } from './sink-bench.js';

const STREAMS = ['order:1', 'order:2', 'order:3'];
const ROUNDS = 20;

describeWithNats('the NATS sink, when the broker fails', () => {
  let bench: SinkBench;
  beforeAll(async () => {
    bench = await SinkBench.start();
  });
  afterAll(() => bench?.close());

  const sequencesOf = (messages: { headers?: { get(name: string): string } }[], stream: string) =>
    messages
      .filter(({ headers }) => headers!.get('x-kernel-stream-key') === stream)
      .map(({ headers }) => Number(headers!.get('x-kernel-stream-sequence')));

  it('[KER-2.3] keeps each stream in order, once, while the broker is stopped and started under load', async () => {
    const { tenantId, endpointId } = await bench.tenant({ ordering: 'stream' });
    for (let round = 1; round <= ROUNDS; round++) {
      await Promise.all(STREAMS.map((streamKey) => bench.api.publish(tenantId, { streamKey })));
      if (round === ROUNDS / 4) {
        await bench.server.kill();
      }
      if (round === ROUNDS / 2) {
        await bench.server.start();
      }
    }
    await bench.delivered(endpointId, STREAMS.length * ROUNDS);
    const messages = await bench.messages(tenantId);
    const inOrder = Array.from({ length: ROUNDS }, (_, place) => place + 1);
    for (const stream of STREAMS) {
      expect(sequencesOf(messages, stream)).toEqual(inOrder);
    }
  });

  it('is not held up by a consumer that is slow, and that one misses nothing', async () => {
    const { tenantId, endpointId } = await bench.tenant({ ordering: 'stream' });
    await bench.jsm.consumers.add(EVENTS, {
      durable_name: 'slow',
      ack_policy: AckPolicy.Explicit,
      filter_subject: `kernel.events.${tenantId}.>`,
      max_ack_pending: 1,
    });
    const consumer = await jetstream(bench.nc).consumers.get(EVENTS, 'slow');
    const [first] = await Promise.all([consumer.next({ expires: 30_000 }), ...Array.from({ length: 30 }, () => bench.api.publish(tenantId))]);
    await bench.delivered(endpointId, 30);
    const got = [first!];
    first!.ack();
    while (got.length < 30) {
      const next = await waitFor(() => consumer.next({ expires: 1_000 }), 'the next event');
      got.push(next);
      next.ack();
    }
    expect(sequencesOf(got as never, 'invoice:1')).toEqual(Array.from({ length: 30 }, (_, place) => place + 1));
  });

  it('says that the stream is full, keeps the event and delivers it when there is room', async () => {
    const { tenantId, endpointId } = await bench.tenant();
    const { messages } = (await bench.jsm.streams.info(EVENTS)).state;
    await bench.jsm.streams.update(EVENTS, { max_msgs: messages });
    await bench.api.publish(tenantId);
    const refused = await waitFor(async () => {
      const delivery = await bench.api.deliveryOf(endpointId);
      return delivery?.errorClass === 'unavailable' && delivery;
    }, 'the refusal');
    expect(refused).toMatchObject({ status: 'FAILED', deadLetterReason: null });
    expect(refused.lastError).toBe(
      'the stream KERNEL_EVENTS is full (maximum messages exceeded): raise its limits or let it be read',
    );
    expect(await bench.messages(tenantId)).toEqual([]);

    await bench.jsm.streams.update(EVENTS, { max_msgs: -1 });
    await bench.delivered(endpointId, 1);
    expect(await bench.messages(tenantId)).toHaveLength(1);
  });

  it('[KER-2.2] an event that comes again is dropped within the window of duplicates, and kept after it', async () => {
    const { tenantId, endpointId } = await bench.tenant();
    const { eventId } = await bench.api.publish(tenantId);
    await bench.delivered(endpointId, 1);
    const { deliveryId } = await bench.api.deliveryOf(endpointId);
    let replays = 0;
    const replay = async () => {
      await bench.api.operator.post(`/deliveries/${deliveryId}/replay`, { reason: 'again' }).expect(202);
      replays++;
      await bench.delivered(endpointId, 1);
      return bench.messages(tenantId);
    };
    expect(await replay()).toHaveLength(1);
    const [, repeat] = await bench.api.kernel.database.query<{ excerpt: string }>(
      `select response_excerpt as excerpt from kernel_ledger_entry where event_id = $1 and kind = 'attempt' order by entry_id`,
      [eventId],
    );
    expect(repeat!.excerpt).toMatch(/^KERNEL_EVENTS \d+ \(a repeat, dropped by the broker\)$/);

    const messages = await waitFor(async () => {
      const all = await replay();
      return all.length > 1 ? all : undefined;
    }, 'the window to be over');
    expect(messages.map(({ headers }) => headers!.get('webhook-id'))).toEqual([eventId, eventId]);
    expect(replays).toBeGreaterThan(1);
  });
});
