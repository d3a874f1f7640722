import { jetstreamManager, StorageType, type JetStreamManager } from '@nats-io/jetstream';
import { connect, nanos, type NatsConnection } from '@nats-io/transport-node';
import { describeWithNats, NatsServer } from '@kernel/test-support/nats-server';
import { NatsLink } from '../src/connection/nats-link.js';
import type { NatsOptions } from '../src/nats.options.js';
import { Test } from '@nestjs/testing';
import { NatsModule } from '../src/index.js';

const KEY = Buffer.alloc(32, 7).toString('base64');

describeWithNats('streams and consumers', () => {
  let server: NatsServer;
  let nc: NatsConnection;
  let jsm: JetStreamManager;
  beforeAll(async () => {
    server = await NatsServer.start('authorization { user: "kernel", password: "very-secret-word" }');
    nc = await connect({ servers: server.url, user: 'kernel', pass: 'very-secret-word' });
    jsm = await jetstreamManager(nc);
  });
  afterAll(async () => {
    await nc?.close();
    await server?.stop();
  });
  afterEach(async () => {
    for await (const { config } of jsm.streams.list()) {
      await jsm.streams.delete(config.name);
    }
  });

  const connection = () => ({ servers: server.url, user: 'kernel', password: 'very-secret-word' });

  /** Starts an application with these options, and stops it. */
  async function startOnce(options: Partial<NatsOptions>): Promise<void> {
    const module = await Test.createTestingModule({
      imports: [NatsModule.forRoot({ connection: connection(), ...options })],
    }).compile();
    const app = module.createNestApplication({ logger: false });
    try {
      await app.init();
      app.get(NatsLink).require();
    } finally {
      await app.close();
    }
  }

  it('[ADR-2] are made as the options say, and again without a change', async () => {
    const options: Partial<NatsOptions> = {
      streams: { storage: 'memory' },
      queue: { key: KEY, jobs: { maxMessages: 500, maxAgeMs: 30_000 }, ackWaitMs: 2_000, maxAckPending: 77 },
      sink: { maxBytes: 1_000_000, maxAgeMs: 3_600_000, duplicateWindowMs: 5_000 },
    };
    await Promise.all([startOnce(options), startOnce(options), startOnce(options)]);
    await startOnce(options);

    const { config: jobs } = await jsm.streams.info('KERNEL_DELIVERIES');
    expect(jobs).toMatchObject({
      ...{ subjects: ['kernel.deliveries.jobs.*'], retention: 'workqueue', storage: 'memory', num_replicas: 1 },
      ...{ max_msgs: 500, max_age: nanos(30_000), discard: 'new', duplicate_window: nanos(30_000) },
    });
    const { config: events } = await jsm.streams.info('KERNEL_EVENTS');
    expect(events).toMatchObject({
      ...{ subjects: ['kernel.events.>'], retention: 'limits', storage: 'memory', max_bytes: 1_000_000 },
      ...{ max_age: nanos(3_600_000), duplicate_window: nanos(5_000), discard: 'new' },
    });
    const { config: workers } = await jsm.consumers.info('KERNEL_DELIVERIES', 'delivery-workers');
    expect(workers).toMatchObject({ ack_policy: 'explicit', ack_wait: nanos(2_000), max_ack_pending: 77 });
  });

  it('stop the start where they differ, name what differs and change nothing', async () => {
    await startOnce({ sink: { maxMessages: 10 } });
    await expect(startOnce({ sink: { maxMessages: 20 } })).rejects.toMatchObject({
      code: 'EVENTBUS_NATS_STREAM_DIFFERS',
      message: expect.stringMatching(/KERNEL_EVENTS differs.*max_msgs is 10, demanded is 20.*setup: 'update'/),
    });
    expect((await jsm.streams.info('KERNEL_EVENTS')).config.max_msgs).toBe(10);

    await startOnce({ queue: { key: KEY } });
    await expect(startOnce({ queue: { key: KEY, ackWaitMs: 9_000 } })).rejects.toThrow(
      /the consumer delivery-workers of the stream KERNEL_DELIVERIES differs.*ack_wait/,
    );
  });

  it('are changed where the options ask for it, except what no broker changes', async () => {
    const streams = { setup: 'update' as const };
    await startOnce({ sink: { maxMessages: 10 }, queue: { key: KEY } });
    await startOnce({ streams, sink: { maxMessages: 20 }, queue: { key: KEY, ackWaitMs: 9_000 } });
    expect((await jsm.streams.info('KERNEL_EVENTS')).config.max_msgs).toBe(20);
    const { config } = await jsm.consumers.info('KERNEL_DELIVERIES', 'delivery-workers');
    expect(config.ack_wait).toBe(nanos(9_000));

    const onlyInMemory = { streams: { ...streams, storage: 'memory' as const }, sink: { maxMessages: 20 } };
    await expect(startOnce(onlyInMemory)).rejects.toThrow(/storage is "file", demanded is "memory".*refused to change/);
    expect((await jsm.streams.info('KERNEL_EVENTS')).config.storage).toBe(StorageType.File);
  });

  it('are only looked at where the account may not make them', async () => {
    const options = { streams: { setup: 'check' as const }, sink: {} };
    await expect(startOnce(options)).rejects.toThrow(/the stream KERNEL_EVENTS does not exist: make it/);
    await startOnce({ sink: {} });
    await expect(startOnce(options)).resolves.toBeUndefined();
  });

  it.each([
    ['nats://kernel:very-secret-word@127.0.0.1:4222', /connection.servers.*must not hold credentials/],
    ['http://127.0.0.1:4222', /connection.servers.*must be like nats:/],
  ])('take no server like %s, and do not repeat it', async (servers, message) => {
    const refused = startOnce({ connection: { servers } });
    await expect(refused).rejects.toThrow(message);
    await expect(refused).rejects.not.toThrow(/very-secret-word/);
  });

  it('are waited for, without a word of the credentials, where these are wrong', async () => {
    const wrong = startOnce({ connection: { ...connection(), password: 'another-secret-word' }, sink: {} });
    await expect(wrong).rejects.toMatchObject({
      code: 'EVENTBUS_NATS_UNAVAILABLE',
      message: expect.stringMatching(/NATS cannot be used now \('?Authorization Violation'?\)/i),
    });
    await expect(wrong).rejects.not.toThrow(/another-secret-word/);
  });

  it('refuse options that cannot work, without their values', async () => {
    const wrong = startOnce({ queue: { key: 'c2hvcnQ=', jobs: { maxAgeMs: 5_000 }, outcomes: { maxAgeMs: 1_000 } } });
    await expect(wrong).rejects.toThrow(/queue.key: must be the base64 of 32 bytes/);
    await expect(wrong).rejects.not.toThrow(/c2hvcnQ/);
    await expect(startOnce({ sink: { prefix: 'kernel.>' } })).rejects.toThrow(/sink.prefix: must be tokens/);
    await expect(startOnce({ sink: { maxAgeMs: 1_000 } })).rejects.toThrow(/duplicateWindowMs: must not exceed/);
  });
});
