import { contestants, type Contestant, type ContestantName, type Setup } from '../contestants/contestant.ts';
import { SECRET } from '../webhook/event.ts';
import type { Bench } from './bench.ts';
import type { BenchDatabase } from './databases.ts';
import { startChild, type Child } from './start-child.ts';

/** A fresh database with the contestant's tables in it, and the process that publishes into it. */
export async function withPublisher<M = Contestant, S extends Setup = Setup, T = void>(
  bench: Bench,
  name: ContestantName,
  setup: Partial<S>,
  work: (publisher: Child<M>, database: BenchDatabase) => Promise<T>,
): Promise<T> {
  const database = await bench.databases.create();
  const publisher = startChild<Contestant>(contestants[name]);
  try {
    await publisher.call('prepare', { databaseUrl: database.url, sinkUrl: bench.sinkUrl, secret: SECRET, ...setup });
    const result = await work(publisher as unknown as Child<M>, database);
    await publisher.call('close');
    return result;
  } finally {
    await publisher.stop();
    await database.drop();
  }
}
