import type { OutgoingResult } from '@kernel/eventbus';
import { dispatcherConformance } from '@kernel/eventbus/testing';
import { KafkaDispatcher } from '../src/kafka-dispatcher.js';
import { KafkaProducers } from '../src/kafka-producers.js';
import { resolveKafkaConfig } from '../src/kafka-sink.options.js';

const config = resolveKafkaConfig({ brokers: ['127.0.0.1:1'], topics: ['orders'] });

describe('[SC-006] [SC-008] [SC-011] the Kafka dispatcher', () => {
  it.each(dispatcherConformance.map((rule) => [rule.title, rule] as const))('%s', async (_title, rule) => {
    const make = () => new KafkaDispatcher(config, new KafkaProducers(config));
    await expect(rule.check(make)).resolves.toBeUndefined();
  });
});

describe('the Kafka dispatcher', () => {
  const id = '00000000-0000-4000-8000-000000000001';
  const stream = { streamKey: 'order:1', streamSequence: '1', previousSequence: null };
  const delivery = {
    ...{ deliveryId: id, eventId: id, tenantId: id, endpointId: id, ...stream },
    ...{
      url: 'kafka:orders',
      type: 'order.placed.v1',
      traceId: 'trace-0001',
      traceParent: null,
      traceState: null,
      attempt: 1,
      replayCount: 0,
      leaseEpoch: 1,
    },
  };

  /** The result that the engine would judge. */
  async function send(producers: KafkaProducers, signal = new AbortController().signal): Promise<OutgoingResult> {
    const sent = Promise.withResolvers<OutgoingResult>();
    await new KafkaDispatcher(config, producers).dispatch({
      delivery,
      signal,
      invoke: async (transport) => {
        const { tenantId, url } = delivery;
        const request = {
          ...{ tenantId, url, urlSetByOperator: true, streamKey: delivery.streamKey },
          ...{ headers: {}, body: '{}', timeoutMs: 60_000, signal },
        };
        sent.resolve(await transport!(request));
      },
    });
    return sent.promise;
  }

  it('says that no broker can be reached where nothing listens', async () => {
    const producers = new KafkaProducers(config);
    const result = await send(producers);
    await producers.onApplicationShutdown();
    expect(result).toMatchObject({
      kind: 'failure',
      errorClass: 'connection',
      message: 'no broker can be reached (ECONNREFUSED)',
    });
  });

  it('gives up when the worker has to stop', async () => {
    const producers = new KafkaProducers(config);
    const stopping = new AbortController();
    const sending = send(producers, stopping.signal);
    stopping.abort();
    expect(await sending).toMatchObject({
      errorClass: 'connection',
      message: 'the request was cancelled by the caller',
    });
    await producers.onApplicationShutdown();
  });

  it('writes nothing after the application has stopped', async () => {
    const producers = new KafkaProducers(config);
    await producers.onApplicationShutdown();
    expect(await send(producers)).toMatchObject({ message: 'no broker can be reached (SHUTTING_DOWN)' });
  });
});
