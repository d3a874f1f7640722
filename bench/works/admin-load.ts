import { adminReads, type AdminRequest } from '../../test/support/admin-requests.ts';
import { findKnownIds } from '../../test/support/known-ids.ts';
import { COMMON_TYPE, fillLargeTenancy, LARGE_TENANT, SMALL_TENANT } from '../../test/support/large-tenancy.sql.ts';
import type { AdminApp } from '../contestants/admin-app.ts';
import type { KernelSetup, Ours } from '../contestants/ours.ts';
import { AdminClient } from '../harness/admin-client.ts';
import type { Bench } from '../harness/bench.ts';
import { medianOf, ratioOf } from '../harness/compare.ts';
import { startChild } from '../harness/start-child.ts';
import { percentile } from '../harness/statistics.ts';
import { withPublisher } from '../harness/with-publisher.ts';
import type { Sample, Verdict, Work } from '../harness/work.ts';
import { StatementStatistics } from '../profile/statement-statistics.ts';

const SIZES = { tenants: 10_000, endpoints: 1_000, events: 200_000, ledger: 1_000_000 };
const ADMIN_TOKEN = 'operator-token-of-the-bench';
const MAX_MS = 200;
const TRIES = 3;
const PER_SECOND = 100;
const SECONDS = 15;
const WARM_UP_SECONDS = 5;
const TURNS = 3;
const CLIENTS = 4;
const ALONE = 'alone';
/**
 * The control requests a route that reads one row: what is left of the ratio is the reads themselves. Then as some open
 * consoles request, and as fast as the API answers.
 */
const LOOPS: { contestant: string; pauseMs: number; isControl?: boolean; target: Verdict['target'] }[] = [
  {
    contestant: 'beside 4 clients of GET /session, pauses of 250 ms',
    pauseMs: 250,
    isControl: true,
    target: undefined,
  },
  { contestant: 'beside 4 clients of all lists, pauses of 250 ms', pauseMs: 250, target: { atMost: 1.1 } },
  { contestant: 'beside 4 clients of all lists, without pause', pauseMs: 0, target: undefined },
];
/** They read the whole ledger, batch by batch. */
const WHOLE_LEDGER = ['GET /audit/export', 'POST /audit/verify'];

/** Database time of every admin route on a large database, and publishing beside a loop over them. */
export const adminLoad: Work = {
  name: 'admin-load',
  isByNameOnly: true,
  rounds: 1,
  measure: (bench) =>
    withPublisher<Ours, KernelSetup, Sample[]>(bench, 'ours', {}, async (publisher, database) => {
      const statistics = new StatementStatistics(database.url);
      await statistics.track();
      bench.log(`filling ${SIZES.ledger} ledger entries`);
      await fillLargeTenancy((statement) => statistics.query(statement), scaledSizes(bench));
      const admin = startChild<AdminApp>(new URL('../contestants/admin-app.ts', import.meta.url));
      try {
        const url = await admin.call('listen', { databaseUrl: database.url, adminToken: ADMIN_TOKEN });
        const { callers, requests } = await prepare(new AdminClient(url, ADMIN_TOKEN), url, statistics);
        const samples: Sample[] = [];
        for (const { name, client, tenantId } of callers) {
          bench.log(`database time of the routes, ${name}`);
          for (const request of requests) {
            const ms = await databaseTime(statistics, client, withTenant(request, tenantId));
            samples.push({
              round: 1,
              contestant: `${name}: ${request.route} ${JSON.stringify(request.query)}`,
              figures: { ms },
            });
          }
        }
        const reads = requests.filter(({ route }) => route.startsWith('GET'));
        for (let round = 1; round <= TURNS; round++) {
          bench.log(`publish alone and beside, turn ${round} of ${TURNS}`);
          samples.push({ round, contestant: ALONE, figures: await measurePublish(publisher, bench) });
          for (const { contestant, pauseMs, isControl } of LOOPS) {
            const looped = isControl ? reads.filter(({ path }) => path === '/session') : reads;
            let isOver = false;
            const loops = Array.from({ length: CLIENTS }, (_, place) =>
              callers[place % callers.length]!.client.loop(looped, pauseMs, () => isOver),
            );
            const figures = await measurePublish(publisher, bench);
            isOver = true;
            const requests = (await Promise.all(loops)).reduce((sum, count) => sum + count, 0);
            samples.push({ round, contestant, figures: { ...figures, requests } });
          }
        }
        await admin.call('close');
        return samples;
      } finally {
        await admin.stop();
      }
    }),
  judge: (samples) => {
    const routes = samples.filter(({ figures }) => 'ms' in figures);
    const slowest = routes.reduce((worst, sample) => (sample.figures.ms! > worst.figures.ms! ? sample : worst));
    const ms = (contestant: string) => `${medianOf(samples, contestant, 'p99').toFixed(1)} ms`;
    return [
      {
        work: 'database time of the slowest admin route',
        compares: slowest.contestant,
        ratio: slowest.figures.ms! / MAX_MS,
        target: { atMost: 1 },
        figures: `${slowest.figures.ms!.toFixed(0)} ms of ${MAX_MS} ms, ${routes.length} requests`,
      },
      ...LOOPS.map(({ contestant, target }) => ({
        work: 'publish, p99',
        compares: `${contestant} : alone`,
        ratio: ratioOf(samples, 'p99', contestant, ALONE),
        target,
        figures: `${ms(contestant)}, alone ${ms(ALONE)}, ${medianOf(samples, contestant, 'requests')} requests`,
      })),
    ];
  },
  describe: (samples) =>
    samples
      .filter(({ figures }) => 'ms' in figures)
      .toSorted((a, b) => b.figures.ms! - a.figures.ms!)
      .slice(0, 15)
      .map(({ contestant, figures }) => `${figures.ms!.toFixed(1).padStart(8)} ms  ${contestant}`)
      .join('\n'),
};

function scaledSizes(bench: Bench) {
  return { ...SIZES, events: bench.scaled(SIZES.events), ledger: bench.scaled(SIZES.ledger) };
}

async function prepare(operator: AdminClient, url: string, statistics: StatementStatistics) {
  const send = async (path: string, body: unknown) => {
    const answer = await operator.send({ route: 'POST', path, query: {}, body });
    if (answer.status !== 201) {
      throw new Error(`POST ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    }
    return answer.body;
  };
  const endpoint = await send('/endpoints', {
    ...{ tenantId: LARGE_TENANT, url: 'http://127.0.0.1:9/hook', subscribedTypes: [COMMON_TYPE], signature: 'v1a' },
  });
  const ids = await findKnownIds((statement) => statistics.query(statement), endpoint);
  const adminOf = async (tenantId: string) => {
    const { token } = await send('/tokens', { name: 'bench', role: 'tenant-admin', tenantId });
    return new AdminClient(url, token as string);
  };
  const callers: { name: string; client: AdminClient; tenantId?: string }[] = [
    { name: 'operator', client: operator },
    { name: 'operator for the large tenant', client: operator, tenantId: LARGE_TENANT },
    { name: 'large tenant admin', client: await adminOf(LARGE_TENANT) },
    { name: 'small tenant admin', client: await adminOf(SMALL_TENANT) },
  ];
  return { callers, requests: adminReads(ids).filter(({ route }) => !WHOLE_LEDGER.includes(route)) };
}

/** For lists only: other routes refuse a tenant. */
function withTenant(request: AdminRequest, tenantId: string | undefined): AdminRequest {
  const takesTenant = /^GET \/(audit|deliveries|endpoints|events|lanes|operations|policies|stats)(\/groups|\/health)?$/;
  return tenantId && takesTenant.test(request.route) ? { ...request, query: { ...request.query, tenantId } } : request;
}

/** The median of some tries after a first one: planning and execution of all statements. */
async function databaseTime(
  statistics: StatementStatistics,
  client: AdminClient,
  request: AdminRequest,
): Promise<number> {
  await client.send(request);
  const tries: number[] = [];
  for (let n = 0; n < TRIES; n++) {
    await statistics.reset();
    const { status, body } = await client.send(request);
    if (status >= 500) {
      throw new Error(`${request.route} ${JSON.stringify(request.query)} answered ${status}: ${JSON.stringify(body)}`);
    }
    tries.push(await statistics.millisecondsOf(' '));
  }
  return percentile(tries, 0.5);
}

/** Milliseconds of a transaction with one event, at a steady pace. */
async function measurePublish(
  publisher: { call(method: 'timePaced', load: { perSecond: number; count: number }): Promise<number[]> },
  bench: Bench,
): Promise<Record<string, number>> {
  await bench.databases.checkpoint();
  const count = PER_SECOND * (WARM_UP_SECONDS + bench.scaled(SECONDS));
  const times = (await publisher.call('timePaced', { perSecond: PER_SECOND, count })).slice(
    PER_SECOND * WARM_UP_SECONDS,
  );
  return { p50: percentile(times, 0.5), p99: percentile(times, 0.99), count: times.length };
}
