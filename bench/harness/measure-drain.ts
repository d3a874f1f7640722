import { setTimeout as delay } from 'node:timers/promises';
import { contestants, type Contestant, type ContestantName, type Setup } from '../contestants/contestant.ts';
import { StatementStatistics } from '../profile/statement-statistics.ts';
import { SECRET } from '../webhook/event.ts';
import type { Bench } from './bench.ts';
import { cpuSecondsOf, cpuSecondsOfPostgres } from './cpu-time.ts';
import type { BenchDatabase } from './databases.ts';
import { startChild, type Child } from './start-child.ts';

/**
 * Events drained by each process before the counted ones: code is compiled, connections are open, caches are filled, as
 * in workers that run for days.
 */
export const WARM_UP = 10_000;
const DRAIN_TIMEOUT_MS = 900_000;
const SETTLE_TIMEOUT_MS = 60_000;
const PROFILE_FLAGS = ['--cpu-prof', '--cpu-prof-dir=bench/profile/cpu'];

export interface Drain<S extends Setup> {
  name: ContestantName;
  database: BenchDatabase;
  /** Counted events: distinct verified ids, after those of the warm-up. */
  count: number;
  /** Commits that many events. Undefined: more than enough wait already, and the rest is left. */
  fill?: (count: number) => Promise<void>;
  setup?: Partial<S>;
  /** Default: 1. */
  processes?: number;
  /** Delay of the sink's responses. */
  delayMs?: number;
  /** Adds `claimUs`, the server's time per event for statements that lock rows to claim them. */
  measuresClaims?: boolean;
}

/** Starts the workers on committed events; returns the sink's arrivals per second once the workers are warm. */
export async function measureDrain<S extends Setup>(bench: Bench, drain: Drain<S>): Promise<Record<string, number>> {
  const isProfiled = bench.isProfiled && drain.name === 'ours';
  const workers = Array.from({ length: drain.processes ?? 1 }, () =>
    startChild<Contestant>(contestants[drain.name], isProfiled ? PROFILE_FLAGS : []),
  );
  const warmUp = bench.scaled(WARM_UP) * workers.length;
  const statistics = isProfiled || drain.measuresClaims ? new StatementStatistics(drain.database.url) : undefined;
  try {
    await drain.fill?.(warmUp + drain.count);
    await statistics?.track();
    await bench.databases.checkpoint();
    await bench.sink.call('reset', { secret: SECRET, delayMs: drain.delayMs });
    const figures = await runWorkers(bench, drain, workers, { warmUp, statistics });
    if (isProfiled) {
      await statistics?.print();
    }
    return figures;
  } finally {
    await Promise.all(workers.map((worker) => worker.stop()));
  }
}

async function runWorkers<S extends Setup>(
  bench: Bench,
  { database, count, setup, fill }: Drain<S>,
  workers: readonly Child<Contestant>[],
  { warmUp, statistics }: { warmUp: number; statistics: StatementStatistics | undefined },
): Promise<Record<string, number>> {
  const cpuSoFar = () => ({
    worker: workers.reduce((sum, { pid }) => sum + cpuSecondsOf(pid), 0),
    postgres: cpuSecondsOfPostgres(),
    sink: cpuSecondsOf(bench.sink.pid),
  });
  const environment = { databaseUrl: database.url, sinkUrl: bench.sinkUrl, secret: SECRET, ...setup };
  await Promise.all(workers.map((worker) => worker.call('work', environment)));
  await bench.sink.call('arrived', { count: warmUp, timeoutMs: DRAIN_TIMEOUT_MS });
  await statistics?.reset();
  const early = (await bench.sink.call('receipts')).distinct;
  const before = cpuSoFar();
  const elapsedMs = await bench.sink.call('drained', { after: warmUp, count, timeoutMs: DRAIN_TIMEOUT_MS });
  if (fill) {
    await untilSettled(workers[0]!);
  }
  const after = cpuSoFar();
  const counted = Math.max(1, warmUp + count - early);
  const microsecondsOf = (part: keyof typeof after) => ((after[part] - before[part]) / counted) * 1e6;
  const claimMs = await statistics?.millisecondsOf('skip locked');
  const { repeated, refused, outOfOrder, bodyBytes } = await bench.sink.call('receipts');
  await Promise.all(workers.map((worker) => worker.call('close')));
  return {
    perSecond: (count / elapsedMs) * 1000,
    workerCpuUs: microsecondsOf('worker'),
    postgresCpuUs: microsecondsOf('postgres'),
    sinkCpuUs: microsecondsOf('sink'),
    repeated,
    refused,
    outOfOrder,
    bodyBytes,
    ...(claimMs !== undefined && { claimUs: (claimMs / counted) * 1000 }),
  };
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
