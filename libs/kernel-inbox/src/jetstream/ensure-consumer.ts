import {
  AckPolicy,
  DeliverPolicy,
  JetStreamApiCodes,
  JetStreamApiError,
  jetstreamManager,
  type Consumer,
  type ConsumerConfig,
} from '@nats-io/jetstream';
import { nanos, type NatsConnection } from '@nats-io/transport-node';
import type { JetStreamConsumerConfig } from './jetstream-consumer.options.js';

/** Creates the durable, or updates it to these options. Acknowledgements are kept. */
export async function ensureConsumer(
  connection: NatsConnection,
  { stream, durable, filterSubject, maxAckPending, ackWaitMs }: JetStreamConsumerConfig,
): Promise<Consumer> {
  const manager = await jetstreamManager(connection);
  const changeable = {
    filter_subject: filterSubject,
    max_ack_pending: maxAckPending,
    ack_wait: nanos(ackWaitMs),
  } satisfies Partial<ConsumerConfig>;
  const known = await manager.consumers.info(stream, durable).catch((error: unknown) => {
    if (error instanceof JetStreamApiError && error.code === JetStreamApiCodes.ConsumerNotFound) {
      return undefined;
    }
    throw error;
  });
  if (known) {
    await manager.consumers.update(stream, durable, changeable);
  } else {
    await manager.consumers.add(stream, {
      ...changeable,
      durable_name: durable,
      ack_policy: AckPolicy.Explicit,
      deliver_policy: DeliverPolicy.All,
    });
  }
  return manager.jetstream().consumers.get(stream, durable);
}
