import { JetStreamApiError, type JetStreamManager, type StreamConfig } from '@nats-io/jetstream';
import { NatsConfigurationError, NatsStreamDiffersError } from '../nats.errors.js';
import { listDifferences } from './list-differences.js';
import { toStreamConfig, type StreamDemand } from './stream-demand.js';
import type { StreamSetup } from './streams.options.js';

const STREAM_NOT_FOUND = 10_059;
const NAME_IN_USE = 10_058;

/** Idempotent, also for concurrent processes: a stream with the required setup is left alone. */
export async function ensureStream(jsm: JetStreamManager, demand: StreamDemand, setup: StreamSetup): Promise<void> {
  const demanded = toStreamConfig(demand);
  const found = (await findStream(jsm, demand.name)) ?? (await makeStream(jsm, demanded, setup));
  const differences = listDifferences(demanded, found);
  if (differences.length === 0) {
    return;
  }
  if (setup !== 'update') {
    throw differs(demand.name, differences, "Change the options, or let `streams.setup: 'update'` change the stream.");
  }
  try {
    await jsm.streams.update(demand.name, demanded);
  } catch (error) {
    const reason = error instanceof JetStreamApiError ? error.message : 'it did not answer';
    const fix = `The broker refused to change it (${reason}): change the options, or make the stream anew.`;
    throw differs(demand.name, differences, fix, error);
  }
}

async function findStream(jsm: JetStreamManager, name: string): Promise<StreamConfig | undefined> {
  try {
    return (await jsm.streams.info(name)).config;
  } catch (error) {
    if (error instanceof JetStreamApiError && error.code === STREAM_NOT_FOUND) {
      return undefined;
    }
    throw error;
  }
}

async function makeStream(
  jsm: JetStreamManager,
  demanded: ReturnType<typeof toStreamConfig>,
  setup: StreamSetup,
): Promise<StreamConfig> {
  if (setup === 'check') {
    throw new NatsConfigurationError(
      `the stream ${demanded.name} does not exist: make it, or let \`streams.setup: 'create'\` do so`,
    );
  }
  try {
    return (await jsm.streams.add(demanded)).config;
  } catch (error) {
    if (!(error instanceof JetStreamApiError)) {
      throw error;
    }
    const other = error.code === NAME_IN_USE ? await findStream(jsm, demanded.name) : undefined;
    if (other) {
      return other;
    }
    throw new NatsConfigurationError(`the broker refused to make the stream ${demanded.name}: ${error.message}`, {
      cause: error,
    });
  }
}

function differs(name: string, differences: string[], fix: string, cause?: unknown): NatsStreamDiffersError {
  return new NatsStreamDiffersError(`the stream ${name}`, differences, fix, { cause });
}
