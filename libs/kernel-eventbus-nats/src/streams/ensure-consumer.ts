import { AckPolicy, JetStreamApiError, type ConsumerConfig, type JetStreamManager } from '@nats-io/jetstream';
import { nanos } from '@nats-io/transport-node';
import { NatsConfigurationError, NatsStreamDiffersError } from '../nats.errors.js';
import { listDifferences } from './list-differences.js';
import type { StreamSetup } from './streams.options.js';

const CONSUMER_NOT_FOUND = 10_014;

export interface ConsumerDemand {
  stream: string;
  name: string;
  ackWaitMs: number;
  maxAckPending: number;
}

/** The consumer shared by all workers. Redeliveries are unlimited here; the workers limit them. */
export async function ensureConsumer(jsm: JetStreamManager, demand: ConsumerDemand, setup: StreamSetup): Promise<void> {
  const { stream, name } = demand;
  const demanded = {
    durable_name: name,
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(demand.ackWaitMs),
    max_ack_pending: demand.maxAckPending,
    max_deliver: -1,
  };
  const found = (await findConsumer(jsm, demand)) ?? (await makeConsumer(jsm, stream, demanded, setup));
  const differences = listDifferences(demanded, found);
  if (differences.length === 0) {
    return;
  }
  if (setup !== 'update') {
    const fix = "Change the options, or let `streams.setup: 'update'` change the consumer.";
    throw new NatsStreamDiffersError(`the consumer ${name} of the stream ${stream}`, differences, fix);
  }
  await jsm.consumers.update(stream, name, demanded);
}

async function findConsumer(jsm: JetStreamManager, { stream, name }: ConsumerDemand): Promise<object | undefined> {
  try {
    return (await jsm.consumers.info(stream, name)).config;
  } catch (error) {
    if (error instanceof JetStreamApiError && error.code === CONSUMER_NOT_FOUND) {
      return undefined;
    }
    throw error;
  }
}

async function makeConsumer(
  jsm: JetStreamManager,
  stream: string,
  demanded: Partial<ConsumerConfig>,
  setup: StreamSetup,
): Promise<object> {
  if (setup === 'check') {
    throw new NatsConfigurationError(
      `the stream ${stream} has no consumer ${demanded.durable_name}: make it, or let \`streams.setup: 'create'\` do so`,
    );
  }
  return (await jsm.consumers.add(stream, demanded)).config;
}
