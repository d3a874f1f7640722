import { setTimeout as delay } from 'node:timers/promises';
import { monotonicMs } from '../harness/monotonic-clock.ts';
import type { Commit, PacedLoad } from './contestant.ts';

/** Starts a publish at every tick, even if the previous one is not done: a slow publish must not slow the load down. */
export async function publishAtPace(load: PacedLoad, publishOne: () => Promise<string>): Promise<Commit[]> {
  const startMs = monotonicMs();
  const publishing: Promise<Commit>[] = [];
  for (let place = 0; place < load.count; place++) {
    await delay(Math.max(0, startMs + (place * 1000) / load.perSecond - monotonicMs()));
    publishing.push(publishOne().then((eventId) => ({ eventId, committedAtMs: monotonicMs() })));
  }
  return Promise.all(publishing);
}

/** Runs `transactions` of them, `clients` at a time, and returns the elapsed milliseconds. */
export async function runTransactions(
  { clients, transactions }: { clients: number; transactions: number },
  runOne: (place: number) => Promise<unknown>,
): Promise<number> {
  const startMs = monotonicMs();
  let begun = 0;
  const client = async () => {
    while (begun < transactions) {
      await runOne(begun++);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return monotonicMs() - startMs;
}
