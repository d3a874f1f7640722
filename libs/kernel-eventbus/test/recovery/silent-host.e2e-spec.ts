import { waitFor } from '@kernel/eventbus/testing';
import { DatabaseProxy } from '@kernel/test-support/database-proxy';
import { startKernelApp, type KernelApp } from '@kernel/test-support/kernel-app';

const PATIENCE_MS = 100_000;

describe("a connection that goes silent in the host's hands", () => {
  let api: KernelApp;
  let proxy: DatabaseProxy;
  let host: KernelApp;
  beforeEach(async () => {
    api = await startKernelApp({ role: 'api' });
    const { database } = api;
    proxy = await DatabaseProxy.start(database.appUrl);
    host = await startKernelApp({ role: 'api', database: proxy.behind(database, { pool: { max: 2 } }) });
  });
  afterEach(async () => {
    await api.close();
    await proxy.close();
  });

  it.each([
    ['between two statements', true],
    ['before a transaction begins', false],
  ])(
    'is closed, its place is free again, and the shutdown does not wait for it: %s',
    async (_, isBegun) => {
      const em = host.em.fork();
      await (isBegun ? em.begin() : em.execute('select 1'));
      expect(proxy.silenceOpenConnections()).toBeGreaterThan(0);
      const lost = isBegun ? em.execute('select 1') : em.begin();
      await expect(lost).rejects.toThrow(/connection/i);
      await waitFor(
        async () =>
          (
            await host.em
              .fork()
              .execute('select 1 as one')
              .catch(() => [])
          ).length === 1,
        'a connection that answers',
        { timeoutMs: PATIENCE_MS },
      );
      await host.close();
    },
    2 * PATIENCE_MS,
  );

  it('is not taken for silent while a statement takes long', async () => {
    const rows = await host.em.fork().execute('select 1 as one from pg_sleep(25)');
    expect(rows).toEqual([{ one: 1 }]);
    await host.close();
  });
});
