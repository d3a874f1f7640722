import { setTimeout as delay } from 'node:timers/promises';
import type { KernelSetup, Ours } from '../contestants/ours.ts';
import type { Bench } from '../harness/bench.ts';
import { medianOf, ratioOf } from '../harness/compare.ts';
import { measureLatency, withWorker } from '../harness/measure-latency.ts';
import type { Child } from '../harness/start-child.ts';
import { withPublisher } from '../harness/with-publisher.ts';
import type { Sample, Work } from '../harness/work.ts';
import { SECRET } from '../webhook/event.ts';
import { IN_FLIGHT } from '../webhook/webhook-poster.ts';

const WAITING = 50_000;
const PER_SECOND = 50;
const SECONDS = 20;
const DEAD_TYPE = 'dead.letter.v1';
const ROUTING_TIMEOUT_MS = 300_000;

const neighbours = ['alone', 'refusing', 'hanging'] as const;
type Neighbour = (typeof neighbours)[number];

/** Latency of a healthy endpoint while another endpoint of the same tenant is dead with a long queue. */
export const deadEndpoint: Work = {
  name: 'dead-endpoint',
  measure: async (bench, round) => {
    const samples: Sample[] = [];
    for (const neighbour of neighbours) {
      samples.push({
        round,
        contestant: neighbour,
        figures: await latencyBeside(bench, neighbour, bench.scaled(WAITING)),
      });
    }
    return samples;
  },
  judge: (samples) =>
    neighbours.slice(1).map((neighbour) => ({
      work: `healthy endpoint, 50,000 waiting for a ${neighbour} one, p95`,
      compares: 'ours beside it : alone',
      ratio: ratioOf(samples, 'p95', neighbour, 'alone'),
      target: { atMost: 1.5 },
      figures: `${medianOf(samples, neighbour, 'p95').toFixed(1)} ms, alone ${medianOf(samples, 'alone', 'p95').toFixed(1)} ms`,
    })),
};

/** `waiting` deliveries wait for the neighbour. */
export function latencyBeside(bench: Bench, neighbour: Neighbour, waiting: number): Promise<Record<string, number>> {
  return withPublisher<Ours, KernelSetup, Record<string, number>>(bench, 'ours', {}, async (publisher, database) => {
    if (neighbour !== 'alone') {
      const url = neighbour === 'hanging' ? new URL('/hang', bench.sinkUrl).href : 'http://127.0.0.1:9/webhooks';
      await publisher.call('addEndpoint', { url, secret: SECRET, type: DEAD_TYPE });
      await publisher.call('fill', { count: waiting, type: DEAD_TYPE });
    }
    // The default limit per endpoint, with enough attempts to keep the dead endpoint's deliveries waiting.
    const options = { perEndpointConcurrency: IN_FLIGHT / 2, retry: { maxAttempts: 100 } };
    return withWorker<KernelSetup, Record<string, number>>(bench, 'ours', database, { options }, async () => {
      await untilRouted(publisher);
      const load = { perSecond: PER_SECOND, count: PER_SECOND * bench.scaled(SECONDS) };
      const figures = await measureLatency(bench, publisher, load);
      return { ...figures, stillWaiting: await publisher.call('countUnsettled') };
    });
  });
}

async function untilRouted(publisher: Child<Ours>): Promise<void> {
  const deadline = Date.now() + ROUTING_TIMEOUT_MS;
  while ((await publisher.call('countUnrouted')) > 0) {
    if (Date.now() > deadline) {
      throw new Error(`the events for the dead endpoint were not routed within ${ROUTING_TIMEOUT_MS} ms`);
    }
    await delay(500);
  }
}
