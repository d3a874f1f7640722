import { waitFor } from '@kernel/eventbus/testing';
import { drip, hang, pour, reset } from '@kernel/test-support/bad-behaviours';
import { CrashRun, PAID, PATIENCE_MS, PLACED } from './crash-run.js';
import { reconcile } from './reconcile.js';

const BAD = { hang, reset, drip, pour };

describe('receivers that hang, reset, drip or pour', () => {
  let run: CrashRun;
  beforeEach(async () => {
    run = await CrashRun.start(([one, other]) => [
      { name: 'healthy', tenantId: one, types: [PLACED, PAID] },
      { name: 'healthy-ordered', tenantId: other, types: [PAID], ordering: 'stream' },
      ...Object.keys(BAD).flatMap((name) => [
        { name, tenantId: one, types: [PLACED, PAID] },
        { name: `${name}-ordered`, tenantId: one, types: [PAID], ordering: 'stream' as const },
      ]),
    ]);
    for (const [name, behaviour] of Object.entries(BAD)) {
      run.receiver.behave(name, behaviour);
      run.receiver.behave(`${name}-ordered`, behaviour);
    }
  });
  afterEach(() => run.close());

  const openAt = async (...names: string[]) => {
    const ids = run.endpoints.filter(({ name }) => names.includes(name)).map(({ endpointId }) => endpointId);
    const [open] = await run.database.query<{ count: number }>(
      `select count(*)::int from kernel_webhook_delivery
       where endpoint_id = any($1) and status in ('PENDING', 'FAILED')`,
      [ids],
    );
    return open!.count;
  };

  it(
    'hold up nobody else, and get everything once they behave',
    async () => {
      await Promise.all([run.startWorker({ timeoutMs: 500 }), run.startWorker({ timeoutMs: 500 })]);
      const publisher = await run.startPublisher({ transactions: 60 });
      expect(await publisher.ends()).toEqual({ code: 0, signal: null });
      const isHealthyDone = async () => (await openAt('healthy', 'healthy-ordered')) === 0;
      await waitFor(
        async () => (await unrouted()) === 0 && (await isHealthyDone()),
        'all that the healthy ones are to get',
      );
      expect(await openAt('hang', 'reset', 'drip')).toBeGreaterThan(0);
      expect(run.receiver.at('healthy').length).toBeGreaterThan(0);
      for (const name of Object.keys(BAD)) {
        expect(run.receiver.at(name).length).toBeGreaterThan(0);
      }
      run.receiver.heal();
      await reconcile(run);
    },
    PATIENCE_MS,
  );

  const unrouted = async () =>
    (await run.database.query(`select from kernel_outbox_event where status = 'PENDING'`)).length;
});
