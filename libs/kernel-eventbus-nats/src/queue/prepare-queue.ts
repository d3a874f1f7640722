import type { JetStreamManager } from '@nats-io/jetstream';
import { ensureConsumer } from '../streams/ensure-consumer.js';
import { ensureStream } from '../streams/ensure-stream.js';
import type { StreamsConfig } from '../streams/streams.options.js';
import { demandsOf, type NatsQueueConfig } from './queue.options.js';

/** Engines and workers both call it, so either can start first. */
export async function prepareQueue(
  jsm: JetStreamManager,
  queue: NatsQueueConfig,
  streams: StreamsConfig,
): Promise<void> {
  const { jobs, outcomes, consumer } = demandsOf(queue, streams);
  await ensureStream(jsm, jobs, streams.setup);
  await ensureStream(jsm, outcomes, streams.setup);
  await ensureConsumer(jsm, consumer, streams.setup);
}
