import { readFileSync } from 'node:fs';
import type { Stage } from '@kernel/eventbus';
import { waitFor } from '@kernel/eventbus/testing';
import { CrashRun, PAID, PATIENCE_MS, PLACED } from './crash-run.js';
import { reconcile } from './reconcile.js';

const DEADLY = 'order.deadly.v1';
/** More than is sent while it is written. Of 90 transactions each third is rolled back. */
const BACKLOG = { clients: 2, eventsPerTransaction: 10, transactions: 90, pauseMs: 0 };
const KILLED = { code: null, signal: 'SIGKILL' };
/** The suspects of the deaths before are run alone, so that each of these needs more than those to be reached. */
const DEATHS: [Stage, number][] = [
  ['claimed', 60],
  ['sent', 60],
  ['judged', 60],
  ['routed', 2],
  ['recorded', 1],
];

/** Endpoints that want neither order nor a filter: their backlog is written when it is sent. */
describe('a batch that is not written yet when its worker is killed', () => {
  let run: CrashRun;
  afterEach(() => run.close());

  const unwritten = () =>
    run.database.query<{ worker_id: string; event_ids: string[] }>('select * from kernel_unwritten_batch');

  it(
    '[KER-2.2] is sent again by the next worker, and again, and lost by none',
    async () => {
      run = await CrashRun.start(([one, other]) => [
        { name: 'one', tenantId: one, types: [PLACED, PAID] },
        { name: 'also-one', tenantId: one, types: [PAID] },
        { name: 'other', tenantId: other, types: [PLACED, PAID] },
      ]);
      let isUnwrittenSeen = false;
      for (const [place, [stage, after]] of DEATHS.entries()) {
        const victim = run.spare();
        const publisher = await run.startPublisher({ ...BACKLOG, seed: place + 1 });
        expect(await publisher.ends()).toEqual({ code: 0, signal: null });
        const point = run.killPoint(stage, after);
        await run.beginWork(victim, {}, point);
        expect(await victim.ends()).toEqual(KILLED);
        expect(readFileSync(point.markerFile, 'utf8')).toBe(stage);
        isUnwrittenSeen ||= (await unwritten()).length > 0;
      }
      expect(isUnwrittenSeen).toBe(true);
      await run.startWorker();
      await reconcile(run);
    },
    2 * PATIENCE_MS,
  );

  it(
    'is found out to hold what killed it, which goes to the DLQ; everything else is delivered',
    async () => {
      run = await CrashRun.start(([tenantId]) => [
        { name: 'harmless', tenantId, types: [PLACED] },
        { name: 'deadly', tenantId, types: [DEADLY] },
      ]);
      const [tenantId] = run.tenantIds;
      const load = { ...BACKLOG, tenantIds: [tenantId] };
      const deadly = { ...load, seed: 7, types: [DEADLY], transactions: 3, clients: 1, eventsPerTransaction: 1 };
      for (const types of [{ ...load, types: [PLACED] }, deadly]) {
        const publisher = await run.startPublisher(types);
        expect(await publisher.ends()).toEqual({ code: 0, signal: null });
      }
      const isOver = async () => {
        const [row] = await run.database.query<{ count: number }>(
          `select count(*)::int from kernel_webhook_delivery where event_type = $1 and dead_letter_reason = 'poison'`,
          [DEADLY],
        );
        return row!.count === 2;
      };
      let deaths = 0;
      while (!(await isOver())) {
        const worker = run.spare();
        await worker.begin({ ...run.setup({ role: 'worker' }), deadlyType: DEADLY });
        await waitFor(async () => !worker.isAlive || (await isOver()), 'a death, or the end', {
          timeoutMs: PATIENCE_MS,
        });
        deaths += worker.isAlive ? 0 : 1;
      }
      // Three alone for each of the two.
      expect(deaths).toBeGreaterThanOrEqual(6);
      await waitFor(async () => {
        const rest = await run.database.query(
          `select from kernel_outbox_event e left join kernel_webhook_delivery d using (event_id)
           where e.type = $1 and d.status is distinct from 'DELIVERED'`,
          [PLACED],
        );
        return rest.length === 0;
      }, 'everything else to be delivered');
    },
    2 * PATIENCE_MS,
  );
});
