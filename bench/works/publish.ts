import type { ContestantName } from '../contestants/contestant.ts';
import type { Bench } from '../harness/bench.ts';
import { medianOf, ratioOf } from '../harness/compare.ts';
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
      for (const [events, msPerTransaction] of await measurePublish(bench, name)) {
        samples.push({ round, contestant: kindOf(name, events), figures: { msPerTransaction } });
      }
    }
    return samples;
  },
  judge: (samples) => [
    ...names.map((name) => verdict(samples, name, 1, name === 'ours' ? { atMost: 1.3 } : undefined)),
    ...names.map((name) => verdict(samples, name, 10, name === 'ours' ? { atMost: 1.7 } : undefined)),
  ],
};

function kindOf(name: ContestantName, events: number): string {
  return events === 0 ? `${name}: transaction alone` : `${name}: with ${events}`;
}

function measurePublish(bench: Bench, name: ContestantName): Promise<Map<number, number>> {
  const transactions = Math.ceil(bench.scaled(TRANSACTIONS) / SLICES);
  return withPublisher(bench, name, {}, async (publisher) => {
    const publishing = (eventsPerTransaction: number) =>
      publisher.call('publish', { clients: CLIENTS, transactions, eventsPerTransaction });
    // A warm-up: compiling and connecting are not part of the transaction's cost.
    for (const events of EVENTS_PER_TRANSACTION) {
      await publishing(events);
    }
    await bench.databases.checkpoint();
    const elapsed = new Map(EVENTS_PER_TRANSACTION.map((events) => [events, 0]));
    for (let slice = 0; slice < SLICES; slice++) {
      for (const events of EVENTS_PER_TRANSACTION) {
        elapsed.set(events, elapsed.get(events)! + (await publishing(events)));
      }
    }
    // The latency seen by one client.
    return new Map([...elapsed].map(([events, ms]) => [events, (ms * CLIENTS) / (transactions * SLICES)]));
  });
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
