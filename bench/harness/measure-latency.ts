import { setTimeout as delay } from 'node:timers/promises';
import {
  contestants,
  type Contestant,
  type ContestantName,
  type PacedLoad,
  type Setup,
} from '../contestants/contestant.ts';
import { SECRET } from '../webhook/event.ts';
import type { Bench } from './bench.ts';
import type { BenchDatabase } from './databases.ts';
import { startChild, type Child } from './start-child.ts';
import { percentile } from './statistics.ts';

const ARRIVAL_TIMEOUT_MS = 60_000;
/** Published before the measured events, so connections are open and code is compiled: workers run for days. */
const WARM_UP_SECONDS = 15;

/** Starts a worker in its own process and passes it to `work`. */
export async function withWorker<S extends Setup, T>(
  bench: Bench,
  name: ContestantName,
  database: BenchDatabase,
  setup: Partial<S>,
  work: (worker: Child<Contestant>) => Promise<T>,
): Promise<T> {
  const worker = startChild<Contestant>(contestants[name]);
  try {
    await worker.call('work', { databaseUrl: database.url, sinkUrl: bench.sinkUrl, secret: SECRET, ...setup });
    const result = await work(worker);
    await worker.call('close');
    return result;
  } finally {
    await worker.stop();
  }
}

/** Publishes at a steady pace and returns the milliseconds from a commit's acknowledgement to the sink's receipt. */
export async function measureLatency(
  bench: Bench,
  publisher: Child<Pick<Contestant, 'publishPaced'>>,
  load: PacedLoad,
  warmUpSeconds = WARM_UP_SECONDS,
): Promise<Record<string, number>> {
  await bench.sink.call('reset', { secret: SECRET });
  const warmUp = warmUpSeconds * load.perSecond;
  const commits = (await publisher.call('publishPaced', { ...load, count: load.count + warmUp })).slice(warmUp);
  const receivedAt = await awaitReceipts(
    bench,
    commits.map(({ eventId }) => eventId),
  );
  const latencies = commits.map(({ eventId, committedAtMs }) => receivedAt.get(eventId)! - committedAtMs);
  return {
    p50: percentile(latencies, 0.5),
    p95: percentile(latencies, 0.95),
    p99: percentile(latencies, 0.99),
    max: Math.max(...latencies),
    count: latencies.length,
  };
}

async function awaitReceipts(bench: Bench, eventIds: readonly string[]): Promise<Map<string, number>> {
  const deadline = Date.now() + ARRIVAL_TIMEOUT_MS;
  for (;;) {
    const receivedAt = new Map(await bench.sink.call('receivedAt'));
    const missing = eventIds.filter((eventId) => !receivedAt.has(eventId)).length;
    if (missing === 0) {
      return receivedAt;
    }
    if (Date.now() > deadline) {
      throw new Error(`${missing} of ${eventIds.length} events did not arrive within ${ARRIVAL_TIMEOUT_MS} ms`);
    }
    await delay(200);
  }
}
