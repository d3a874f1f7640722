import { waitFor } from '@kernel/eventbus/testing';
import { DatabaseProxy } from '../../../../test/crash/database-proxy.js';
import { startKernelApp, type KernelApp } from '../../../../test/support/kernel-app.js';

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
      const asks: Promise<unknown>[] = [];
      await waitFor(() => {
        asks.push(host.em.fork().execute('select 1'));
        return proxy.muteCount === PLACES;
      }, 'connections that wait for an answer');
      const answers = Promise.allSettled(asks);
      proxy.muteNewConnections(false);
      expect((await answers).map(({ status }) => status)).toContain('rejected');
      expect(await host.em.fork().execute('select 1 as one')).toEqual([{ one: 1 }]);
    },
    PATIENCE_MS,
  );
});
