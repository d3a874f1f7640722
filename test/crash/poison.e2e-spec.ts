import { waitFor } from '@kernel/eventbus/testing';
import { CrashRun, PAID, PATIENCE_MS, PLACED } from './crash-run.js';

const DEADLY = 'order.deadly.v1';
/** The first death, groups of at most 16 that halve down to 2, and three deaths of the poisonous delivery alone. */
const MAX_DEATHS = 1 + Math.log2(16) + 3;
/**
 * Deaths after a gap in the heartbeats of the other worker, which is then not sure of the death and suspects nothing.
 */
const UNCLEAR_DEATHS = 2;

describe('an event that kills every worker that sends it', () => {
  let run: CrashRun;
  afterEach(() => run.close());

  const countStates = () =>
    run.database.query<{ isDeadly: boolean; state: string; count: number }>(
      `select event_type = '${DEADLY}' as "isDeadly", coalesce(dead_letter_reason, status) as state, count(*)::int
       from kernel_webhook_delivery group by 1, 2 order by 1, 2`,
    );

  const pendingEvents = async () =>
    (await run.database.query(`select from kernel_outbox_event where status = 'PENDING'`)).length;

  it.each(['none', 'stream'] as const)(
    'ends in the DLQ after a few deaths, and everything else is delivered (ordering: %s)',
    async (ordering) => {
      run = await CrashRun.start(([one, other]) => [
        { name: 'unordered', tenantId: one, types: [PLACED, PAID] },
        { name: 'ordered', tenantId: one, types: [PLACED, PAID], ordering: 'stream' },
        { name: 'deadly', tenantId: other, types: [DEADLY], ordering },
      ]);
      const [one, other] = run.tenantIds;
      const publisher = await run.startPublisher({ tenantIds: [one], transactions: 60 });
      const killer = await run.startPublisher({
        tenantIds: [other],
        types: [DEADLY],
        seed: 2,
        clients: 1,
        transactions: 1,
        eventsPerTransaction: 1,
      });
      expect(await killer.ends()).toEqual({ code: 0, signal: null });
      expect(await publisher.ends()).toEqual({ code: 0, signal: null });

      const heartbeat = { intervalMs: 500, silentMs: 8_000 };
      const deadly = { ...run.setup({ role: 'worker', heartbeat }), deadlyType: DEADLY };
      const workers = [run.spare(), run.spare()];
      await Promise.all(workers.map((worker) => worker.begin(deadly)));
      let deaths = 0;
      await waitFor(
        async () => {
          const dead = workers.findIndex(({ isAlive }) => !isAlive);
          if (dead >= 0) {
            expect(await workers[dead]!.ends()).toEqual({ code: null, signal: 'SIGKILL' });
            deaths++;
            workers[dead] = run.spare();
            await workers[dead].begin(deadly);
          }
          const open = (await countStates()).filter(({ state }) => state === 'PENDING' || state === 'FAILED');
          return open.length === 0 && (await pendingEvents()) === 0;
        },
        'all to be settled',
        { timeoutMs: PATIENCE_MS },
      );
      expect(await countStates()).toEqual([
        { isDeadly: false, state: 'DELIVERED', count: 400 },
        { isDeadly: true, state: 'poison', count: 1 },
      ]);
      expect(deaths).toBeGreaterThanOrEqual(4);
      expect(deaths).toBeLessThanOrEqual(MAX_DEATHS + UNCLEAR_DEATHS);
    },
    2 * PATIENCE_MS,
  );
});
