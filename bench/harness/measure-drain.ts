import { setTimeout as delay } from 'node:timers/promises';
import { contestants, type Contestant, type ContestantName, type Setup } from '../contestants/contestant.ts';
import { SECRET } from '../webhook/event.ts';
import type { Bench } from './bench.ts';
import { cpuSecondsOf, cpuSecondsOfPostgres } from './cpu-time.ts';
import type { BenchDatabase } from './databases.ts';
import { StatementStatistics } from '../profile/statement-statistics.ts';
import { startChild, type Child } from './start-child.ts';

const DRAIN_TIMEOUT_MS = 300_000;
const SETTLE_TIMEOUT_MS = 30_000;
const PROFILE_FLAGS = ['--cpu-prof', '--cpu-prof-dir=bench/profile/cpu'];

export interface Drain<S extends Setup> {
  name: ContestantName;
  database: BenchDatabase;
  /** Ends when this many distinct verified ids have arrived. */
  count: number;
  setup?: Partial<S>;
  /** True if more events wait than are counted, so the backlog is not finished at the end. */
  leavesRest?: boolean;
}

/** Starts the worker on committed events and returns the sink's arrivals per second. */
export async function measureDrain<S extends Setup>(bench: Bench, drain: Drain<S>): Promise<Record<string, number>> {
  const worker = startChild<Contestant>(contestants[drain.name], isProfiled(bench, drain.name) ? PROFILE_FLAGS : []);
  const statistics = isProfiled(bench, drain.name) ? new StatementStatistics(drain.database.url) : undefined;
  await statistics?.reset();
  await bench.databases.checkpoint();
  await bench.sink.call('reset', { secret: SECRET });
  try {
    await worker.call('work', {
      databaseUrl: drain.database.url,
      sinkUrl: bench.sinkUrl,
      secret: SECRET,
      ...drain.setup,
    });
    const cpuSoFar = () => ({
      worker: cpuSecondsOf(worker.pid),
      postgres: cpuSecondsOfPostgres(),
      sink: cpuSecondsOf(bench.sink.pid),
    });
    const before = cpuSoFar();
    const elapsedMs = await bench.sink.call('drained', { count: drain.count, timeoutMs: DRAIN_TIMEOUT_MS });
    if (!drain.leavesRest) {
      await untilSettled(worker);
    }
    const after = cpuSoFar();
    const microsecondsOf = (part: keyof typeof after) => ((after[part] - before[part]) / drain.count) * 1e6;
    const { repeated, refused, outOfOrder, bodyBytes } = await bench.sink.call('receipts');
    await worker.call('close');
    await statistics?.print();
    return {
      perSecond: ((drain.count - 1) / elapsedMs) * 1000,
      workerCpuUs: microsecondsOf('worker'),
      postgresCpuUs: microsecondsOf('postgres'),
      sinkCpuUs: microsecondsOf('sink'),
      repeated,
      refused,
      outOfOrder,
      bodyBytes,
    };
  } finally {
    await worker.stop();
  }
}

/** A drain that has fully arrived at the sink still has to be recorded, or it would repeat after a crash. */
async function untilSettled(worker: Child<Contestant>): Promise<void> {
  const deadline = Date.now() + SETTLE_TIMEOUT_MS;
  for (;;) {
    const unsettled = await worker.call('countUnsettled');
    if (unsettled === 0) {
      return;
    }
    if (Date.now() > deadline) {
      throw new Error(`${unsettled} events were delivered but not recorded as done within ${SETTLE_TIMEOUT_MS} ms`);
    }
    await delay(50);
  }
}

function isProfiled(bench: Bench, name: ContestantName): boolean {
  return bench.isProfiled && name === 'ours';
}
