import { randomBytes, randomUUID } from 'node:crypto';
import { waitFor } from '@kernel/eventbus/testing';
import { EventRefusedError, Inbox, InvalidInboxOptionsError, type Reception, type Work } from '@kernel/inbox';
import { JetStreamConsumer, type JetStreamConsumerOptions } from '@kernel/inbox/jetstream';
import { jetstreamManager } from '@nats-io/jetstream';
import { Logger } from '@nestjs/common';
import { describeWithNats, NatsServer } from '@kernel/test-support/nats-server';
import { createConsumerDatabase, type ConsumerDatabase } from '@kernel/test-support/consumer-database';
import { insertEffect, SECRET } from '@kernel/test-support/signed-message';
import { SinkStandIn } from '@kernel/test-support/sink-stand-in';

describeWithNats('the JetStream consumer', () => {
  let database: ConsumerDatabase;
  let server: NatsServer;
  let sink: SinkStandIn;
  let inbox: Inbox;
  let durable: string;
  let tenantId: string;
  const received: Reception[] = [];
  const running: JetStreamConsumer[] = [];
  beforeAll(async () => {
    Logger.overrideLogger(false);
    database = await createConsumerDatabase();
    server = await NatsServer.start();
    sink = await SinkStandIn.connect(server.url);
    inbox = Inbox.of(database.orm.em, { name: 'orders', keys: [SECRET] });
  });
  beforeEach(() => {
    tenantId = randomUUID();
    durable = `orders-${tenantId}`;
    received.length = 0;
  });
  afterEach(() => Promise.all(running.splice(0).map((consumer) => consumer.stop())));
  afterAll(async () => {
    await sink?.close();
    await server?.stop();
    await database?.drop();
  });

  function consume(work: Work = insertEffect, options: Partial<JetStreamConsumerOptions> = {}): JetStreamConsumer {
    const consumer = JetStreamConsumer.start(
      inbox,
      {
        connection: sink.connection,
        durable,
        filterSubject: `kernel.events.${tenantId}.>`,
        retry: { initialDelayMs: 20, maxDelayMs: 100 },
        onReceived: (_event, reception) => received.push(reception),
        ...options,
      },
      work,
    );
    running.push(consumer);
    return consumer;
  }
  const publish: SinkStandIn['publish'] = (changes) =>
    sink.publish({ ...changes, event: { tenantId, ...changes?.event } });
  const effects = async () =>
    (await database.query<{ event_id: string }>('select event_id from effect order by effect_id')).map(
      ({ event_id }) => event_id,
    );
  const pending = async () => {
    const info = await (await jetstreamManager(sink.connection)).consumers.info('KERNEL_EVENTS', durable);
    return info.num_ack_pending + info.num_pending;
  };
  const isDrained = () => waitFor(async () => (await pending().catch(() => 1)) === 0, 'everything to be acknowledged');

  it('waits for a stream that is not there yet, then takes what comes, in order', async () => {
    consume();
    await sink.makeStream();
    const ids: string[] = [];
    for (let n = 1; n <= 20; n++) {
      ids.push((await publish({ sequence: n, previousSequence: n > 1 ? n - 1 : undefined })).event.eventId);
    }
    await waitFor(() => received.length === 20, 'twenty events');
    expect(await effects()).toEqual(ids);
    expect(received.map((reception) => reception.kind === 'processed' && reception.order.kind)).toEqual([
      'first',
      ...Array(19).fill('in-order'),
    ]);
    await isDrained();
  });

  it('[ADR-11] has one effect of an event that the broker got several times', async () => {
    const { event } = await publish();
    await Promise.all(Array.from({ length: 5 }, () => publish({ event, isRepeat: true })));
    consume(insertEffect, { maxAckPending: 6 });
    await waitFor(() => received.length === 6, 'six messages');
    expect(received.filter(({ kind }) => kind === 'processed')).toHaveLength(1);
    expect((await effects()).filter((id) => id === event.eventId)).toHaveLength(1);
    await isDrained();
  });

  it('takes an event again whose work failed, before those after it', async () => {
    const first = (await publish()).event.eventId;
    const second = (await publish()).event.eventId;
    let failures = 0;
    consume(async (event, em, order) => {
      await insertEffect(event, em, order);
      if (event.eventId === first && failures++ < 2) {
        throw new Error('the stock is locked');
      }
    });
    await waitFor(() => received.length === 2, 'both events');
    expect((await effects()).slice(-2)).toEqual([first, second]);
    expect(failures).toBe(3);
  });

  it('gives up what it will never take, and goes on', async () => {
    await publish({ body: '{"hello":"world"}' });
    const refused = (await publish()).event.eventId;
    const taken = (await publish()).event.eventId;
    consume((event, em, order) => {
      if (event.eventId === refused) {
        throw new EventRefusedError('unknown account');
      }
      return insertEffect(event, em, order);
    });
    await isDrained();
    expect((await effects()).at(-1)).toBe(taken);
    expect(received).toHaveLength(1);
  });

  it('keeps what it cannot verify until it has the key', async () => {
    const secret = `whsec_${randomBytes(32).toString('base64')}`;
    const { event } = await publish({ secret, signedAt: new Date(0) });
    const keys = [SECRET];
    const unverified = Inbox.of(database.orm.em, { name: 'late-key', keys: () => keys });
    running.push(
      JetStreamConsumer.start(
        unverified,
        {
          connection: sink.connection,
          durable,
          filterSubject: `kernel.events.${tenantId}.>`,
          retry: { maxDelayMs: 50, initialDelayMs: 20 },
        },
        insertEffect,
      ),
    );
    const deliveries = async () =>
      (await (await jetstreamManager(sink.connection)).consumers.info('KERNEL_EVENTS', durable).catch(() => undefined))
        ?.num_redelivered;
    await waitFor(async () => (await deliveries()) === 1, 'a second delivery');
    expect(await effects()).not.toContain(event.eventId);
    keys.push(secret);
    await isDrained();
    expect(await effects()).toContain(event.eventId);
  });

  it('is not held up by what others have written to the stream, where it is told that they may', async () => {
    const forged = (await publish({ secret: `whsec_${randomBytes(32).toString('base64')}` })).event.eventId;
    const taken = (await publish()).event.eventId;
    consume(insertEffect, { unverified: 'give-up' });
    await isDrained();
    expect((await effects()).at(-1)).toBe(taken);
    expect(await effects()).not.toContain(forged);
  });

  it('shows signs of life during long work, so that no other process gets the message', async () => {
    await publish();
    const { promise, resolve } = Promise.withResolvers<void>();
    let runs = 0;
    const slow: Work = async (...args) => {
      runs++;
      await promise;
      await insertEffect(...args);
    };
    let signs = 0;
    const acknowledgements = sink.connection.subscribe('$JS.ACK.>', {
      callback: (_, message) => {
        signs += message.subject.includes(durable) && message.string() === '+WPI' ? 1 : 0;
      },
    });
    consume(slow, { ackWaitMs: 9_000 });
    consume(slow, { ackWaitMs: 9_000 });
    // Each is sent after a third of JetStream's ack wait.
    await waitFor(() => signs === 4, 'more signs of life than the patience of JetStream lasts');
    acknowledgements.unsubscribe();
    expect(runs).toBe(1);
    resolve();
    await isDrained();
    expect(runs).toBe(1);
  });

  it('goes on after the broker was killed, with nothing lost and nothing twice', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 10; n++) {
      ids.push((await publish()).event.eventId);
    }
    consume(insertEffect, { ackWaitMs: 1_000 });
    await waitFor(() => received.length >= 3, 'the first events');
    await server.kill();
    await server.start();
    ids.push((await waitFor(() => publish().catch(() => undefined), 'the broker to take events')).event.eventId);
    await isDrained();
    expect((await effects()).filter((id) => ids.includes(id))).toEqual(ids);
  });

  it('stops only when the work under way is over', async () => {
    await publish();
    const { promise, resolve } = Promise.withResolvers<void>();
    let isBegun = false;
    const consumer = consume(async (...args) => {
      isBegun = true;
      await promise;
      await insertEffect(...args);
    });
    await waitFor(() => isBegun, 'the work to begin');
    const stopping = consumer.stop();
    resolve();
    await stopping;
    expect(received).toHaveLength(1);
    await isDrained();
  });

  it.each([{ durable: 'a.b' }, { connection: {} as never }, { maxAckPending: 0 }, { ackwait: 1 } as never])(
    'stops the start at %j',
    (wrong) => {
      expect(() => consume(insertEffect, wrong)).toThrow(InvalidInboxOptionsError);
    },
  );
});
