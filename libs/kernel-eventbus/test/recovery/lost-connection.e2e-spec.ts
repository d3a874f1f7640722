import { waitFor } from '@kernel/eventbus/testing';
import type pg from 'pg';
import { DatabaseProxy } from '@kernel/test-support/database-proxy';
import { startKernelApp, type KernelApp } from '@kernel/test-support/kernel-app';
import { executeHot, readThenWrite, isLostConnection } from '@kernel/runtime';

const READ = { text: 'select 1 as one', values: [] };

describe('a connection that was lost and has left the pool', () => {
  let kernel: KernelApp;
  let proxy: DatabaseProxy;
  let pool: pg.Pool;
  beforeEach(async () => {
    const api = await startKernelApp({ role: 'api' });
    proxy = await DatabaseProxy.start(api.database.appUrl);
    const behind = await startKernelApp({ role: 'api', database: proxy.behind(api.database, { pool: { max: 1 } }) });
    kernel = {
      ...behind,
      close: async () => {
        await behind.close();
        await api.close();
      },
    };
    pool = await kernel.em.getConnection().getNativeClient();
  });
  afterEach(async () => {
    await kernel.close();
    await proxy.close();
  });

  const lose = async () => {
    proxy.cut();
    await waitFor(() => pool.totalCount === 0, 'the connection to leave the pool');
  };

  it('is the cause that a transaction fails with, when its work took longer', async () => {
    const lost = readThenWrite(kernel.em, READ, async (_rows, transaction) => {
      await lose();
      return transaction.commitWith(READ);
    });
    const error = await lost.catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(Error);
    expect((error as Error).message).not.toMatch(/release/i);
    expect(isLostConnection(error)).toBe(true);
    // Its place in the pool is free.
    expect(await executeHot(kernel.em, READ)).toEqual([{ one: 1 }]);
  });

  it('hides no error of the work', async () => {
    const lost = readThenWrite(kernel.em, READ, async () => {
      await lose();
      throw new Error('of the work');
    });
    await expect(lost).rejects.toThrow('of the work');
  });
});
