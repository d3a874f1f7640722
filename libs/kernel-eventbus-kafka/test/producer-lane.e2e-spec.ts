import { randomUUID } from 'node:crypto';
import { classifyKafkaError } from '../src/classify-kafka-error.js';
import { resolveKafkaConfig, type KafkaSinkOptions } from '../src/kafka-sink.options.js';
import { ProducerLane, type SinkMessage } from '../src/producer-lane.js';
import { FaultyBrokers } from './faulty-brokers.js';
import { describeWithKcat, MockCluster } from './mock-cluster.js';

const messageOf = (topic: string, value: string, key = 'one'): SinkMessage => ({
  topic,
  key: Buffer.from(key),
  value: Buffer.from(value),
  headers: new Map(),
});

describeWithKcat('a producer, on brokers that answer with errors', () => {
  let cluster: MockCluster;
  let brokers: FaultyBrokers;
  beforeAll(async () => {
    cluster = await MockCluster.start();
    brokers = await FaultyBrokers.start(cluster);
  });
  afterAll(async () => {
    await brokers.stop();
    await cluster.stop();
  });

  let lane: ProducerLane;
  let downgrades: unknown[];
  const open = (options: Partial<KafkaSinkOptions> = {}) => {
    const config = resolveKafkaConfig({
      brokers: brokers.addresses,
      topics: ['any'],
      requestTimeoutMs: 30_000,
      ...options,
    });
    lane = new ProducerLane(config, (error) => downgrades.push(error));
  };
  beforeEach(() => {
    downgrades = [];
    open();
  });
  afterEach(async () => {
    await lane.close();
    brokers.faults.clear();
    brokers.requests.length = 0;
  });

  const produce = (message: SinkMessage, signal = new AbortController().signal) => lane.produce(message, signal);
  const failureOf = (sending: Promise<unknown>) => sending.then(() => undefined, classifyKafkaError);

  it.each([
    [10, 'refused', /larger than the topic allows \(MESSAGE_TOO_LARGE\)/],
    [29, 'refused', /may not write to the topic \(TOPIC_AUTHORIZATION_FAILED\)/],
    [3, 'unavailable', /the topic does not exist.* \(UNKNOWN_TOPIC_OR_PARTITION\)/],
    [19, 'unavailable', /cannot take it now \(NOT_ENOUGH_REPLICAS\)/],
    [6, 'unavailable', /cannot take it now \(NOT_LEADER_OR_FOLLOWER\)/],
  ])('[ADR-5] error %i is %s', async (errorCode, errorClass, words) => {
    const topic = randomUUID();
    brokers.failProducing({ errorCode });
    const failure = await failureOf(produce(messageOf(topic, 'a')));
    expect(failure).toEqual({ errorClass, message: expect.stringMatching(words) });
    brokers.faults.clear();
    await expect(produce(messageOf(topic, 'b'))).resolves.toMatchObject({ topic, partition: expect.any(Number) });
  });

  it('sends together what comes together, and tells each where it is', async () => {
    const topic = randomUUID();
    const values = Array.from({ length: 50 }, (_, place) => String(place));
    const written = await Promise.all(values.map((value) => produce(messageOf(topic, value, `key-${value}`))));
    const found = await cluster.read(topic);
    expect(found).toHaveLength(50);
    for (const [place, value] of values.entries()) {
      const { partition, offset } = found.find(({ payload }) => payload === value)!;
      expect(written[place]).toEqual({ topic, partition, offset: String(offset) });
    }
    // At most one request for each of the three brokers.
    expect(brokers.countProduced()).toBeLessThanOrEqual(3);
  });

  it('a message that is refused does not take its neighbours with it', async () => {
    const topic = randomUUID();
    brokers.failProducing({ errorCode: 10, marker: 'poison' });
    const [before, poison, after] = await Promise.allSettled([
      produce(messageOf(topic, 'before')),
      produce(messageOf(topic, 'poison')),
      produce(messageOf(topic, 'after')),
    ]);
    expect([before.status, poison.status, after.status]).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(classifyKafkaError((poison as PromiseRejectedResult).reason).errorClass).toBe('refused');
    expect(brokers.countProduced()).toBe(4);
    expect((await cluster.read(topic)).map(({ payload }) => payload)).toEqual(
      expect.arrayContaining(['before', 'after']),
    );
  });

  it.each([31, 35])('writes without idempotence where the broker does not allow it (error %i)', async (errorCode) => {
    const topic = randomUUID();
    brokers.failIdempotence({ errorCode });
    await produce(messageOf(topic, 'a'));
    await produce(messageOf(topic, 'b'));
    expect((await cluster.read(topic)).map(({ payload }) => payload)).toEqual(['a', 'b']);
    expect(downgrades).toHaveLength(1);
  });

  it('waits for idempotence where the broker cannot give it now', async () => {
    brokers.failIdempotence({ errorCode: 15 });
    expect(await failureOf(produce(messageOf(randomUUID(), 'a')))).toMatchObject({ errorClass: 'unavailable' });
    expect(downgrades).toEqual([]);
  });

  it('does not ask for idempotence where the options say so', async () => {
    await lane.close();
    open({ idempotent: false });
    const topic = randomUUID();
    brokers.failIdempotence({ errorCode: 15 });
    await produce(messageOf(topic, 'a'));
    expect(await cluster.read(topic)).toHaveLength(1);
  });

  it('does not send what nobody waits for any more', async () => {
    const topic = randomUUID();
    const abandoned = new AbortController();
    const sending = produce(messageOf(topic, 'abandoned'), abandoned.signal);
    abandoned.abort(new Error('too late'));
    await expect(sending).rejects.toThrow('too late');
    await produce(messageOf(topic, 'wanted'));
    expect((await cluster.read(topic)).map(({ payload }) => payload)).toEqual(['wanted']);
  });

  it('splits what is too much for one request', async () => {
    const topic = randomUUID();
    await Promise.all(Array.from({ length: 4 }, () => produce(messageOf(topic, 'x'.repeat(300_000)))));
    expect(brokers.countProduced()).toBe(4);
    expect(await cluster.read(topic)).toHaveLength(4);
  });
});
