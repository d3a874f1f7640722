import { waitFor } from '@kernel/eventbus/testing';
import { DatabaseProxy } from '@kernel/test-support/database-proxy';
import { startKernelApp, type KernelApp } from '@kernel/test-support/kernel-app';

const PLACES = 2;
const PATIENCE_MS = 120_000;

describe('connections that are accepted and never answered', () => {
  let api: KernelApp;
  let proxy: DatabaseProxy;
  let host: KernelApp;
  beforeEach(async () => {
    api = await startKernelApp({ role: 'api' });
    proxy = await DatabaseProxy.start(api.database.appUrl);
    host = await startKernelApp({ role: 'api', database: proxy.behind(api.database, { pool: { max: PLACES } }) });
  });
  afterEach(async () => {
    await host.close();
    await proxy.close();
    await api.close();
  });

  it(
    'give their places of the pool back',
    async () => {
      proxy.muteNewConnections(true);
      proxy.cut();
      const queries: Promise<'answered' | 'refused'>[] = [];
      await waitFor(() => {
        queries.push(
          host.em
            .fork()
            .execute('select 1')
            .then(
              () => 'answered' as const,
              () => 'refused' as const,
            ),
        );
        return proxy.muteCount === PLACES;
      }, 'connections that wait for an answer');
      proxy.muteNewConnections(false);
      expect(await Promise.all(queries)).toContain('refused');
      expect(await host.em.fork().execute('select 1 as one')).toEqual([{ one: 1 }]);
    },
    PATIENCE_MS,
  );
});
