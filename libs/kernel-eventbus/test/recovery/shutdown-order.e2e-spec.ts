import { waitFor } from '@kernel/eventbus/testing';
import { startKernelApp } from '@kernel/test-support/kernel-app';
import pg from 'pg';

describe('the shutdown of a worker', () => {
  it('ends its claims and leases before it waits for the ledger', async () => {
    const { app, database } = await startKernelApp({ sealing: { intervalMs: 20, lagMs: 0 } });
    const lock = new pg.Client({ connectionString: database.url });
    await lock.connect();
    try {
      await lock.query('begin; lock table kernel_ledger_seal in access exclusive mode');
      await waitFor(
        async () =>
          (await database.query(`select from pg_locks where relation = 'kernel_ledger_seal'::regclass and not granted`))
            .length > 0,
        'a sealing run that waits for the lock',
      );
      const closing = app.close();
      await waitFor(
        async () => (await database.query('select from kernel_worker')).length === 0,
        'the worker to sign off while the ledger is being sealed',
      );
      await lock.query('rollback');
      await closing;
    } finally {
      await lock.end();
      await database.drop();
    }
  });
});
