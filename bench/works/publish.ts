import type { Contestant, ContestantName } from '../contestants/contestant.ts';
import type { Bench } from '../harness/bench.ts';
import { medianOf, ratioOf } from '../harness/compare.ts';
import type { Child } from '../harness/start-child.ts';
import { withPublisher } from '../harness/with-publisher.ts';
import type { Sample, Verdict, Work } from '../harness/work.ts';

const CLIENTS = 16;
const TRANSACTIONS = 6_000;
/** The kinds of transactions alternate within a round, so all of them see the same machine conditions. */
const SLICES = 6;
const EVENTS_PER_TRANSACTION = [0, 1, 10];
const names: ContestantName[] = ['ours', 'graphile-worker', 'pg-boss'];

/** The cost that publishing adds to a transaction that inserts one row: ours over MikroORM, the peers over plain pg. */
export const publish: Work = {
  name: 'publish',
  measure: async (bench, round) => {
    const samples: Sample[] = [];
    for (const name of names) {
      for (const [events, msPerTransaction] of await withPublisher(bench, name, {}, (publisher) =>
        measurePublish(bench, publisher),
      )) {
        samples.push({ round, contestant: kindOf(name, events), figures: { msPerTransaction } });
      }
    }
    return samples;
  },
  judge: (samples) => [
    ...names.map((name) => verdict(samples, name, 1, name === 'ours' ? { atMost: 1.5 } : undefined)),
    ...names.map((name) => verdict(samples, name, 10, name === 'ours' ? { atMost: 2.4 } : undefined)),
  ],
};

function kindOf(name: ContestantName, events: number): string {
  return events === 0 ? `${name}: transaction alone` : `${name}: with ${events}`;
}

/** Milliseconds per transaction, as one client sees it, by the number of events in it. */
export async function measurePublish(
  bench: Bench,
  publisher: Child<Pick<Contestant, 'publish'>>,
  eventsPerTransaction: readonly number[] = EVENTS_PER_TRANSACTION,
): Promise<Map<number, number>> {
  const transactions = Math.ceil(bench.scaled(TRANSACTIONS) / SLICES);
  const publishing = (events: number) =>
    publisher.call('publish', { clients: CLIENTS, transactions, eventsPerTransaction: events });
  // A warm-up: compiling and connecting are not part of the transaction's cost.
  for (const events of eventsPerTransaction) {
    await publishing(events);
  }
  await bench.databases.checkpoint();
  const elapsed = new Map(eventsPerTransaction.map((events) => [events, 0]));
  for (let slice = 0; slice < SLICES; slice++) {
    for (const events of eventsPerTransaction) {
      elapsed.set(events, elapsed.get(events)! + (await publishing(events)));
    }
  }
  return new Map([...elapsed].map(([events, ms]) => [events, (ms * CLIENTS) / (transactions * SLICES)]));
}

function verdict(samples: readonly Sample[], name: ContestantName, events: number, target: Verdict['target']): Verdict {
  const [alone, published] = [kindOf(name, 0), kindOf(name, events)];
  const ms = (kind: string) => medianOf(samples, kind, 'msPerTransaction').toFixed(2);
  return {
    work: `publish ${events} per transaction`,
    compares: `${name} : without`,
    ratio: ratioOf(samples, 'msPerTransaction', published, alone),
    target,
    figures: `${ms(published)} ms with, ${ms(alone)} ms without`,
  };
}
