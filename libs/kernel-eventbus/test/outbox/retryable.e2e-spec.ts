import { randomUUID } from 'node:crypto';
import { RetryableTransactionError } from '../../src/eventbus.errors.js';
import { IsolationLevel } from '@mikro-orm/core';
import { startKernelApp, type KernelApp } from '@kernel/test-support/kernel-app';
import { order, publish, written } from './publisher.js';

describe('a transaction that PostgreSQL ends in favour of another', () => {
  let kernel: KernelApp;
  beforeAll(async () => {
    kernel = await startKernelApp({ role: 'api' });
  });
  afterAll(() => kernel.close());

  it('[KER-2.1] is one to run again when its stream moved on after its snapshot, and then succeeds', async () => {
    const [mine, other] = [randomUUID(), randomUUID()];
    const streamKey = `order:${mine}`;
    let competitors = 1;
    const attempt = () =>
      kernel.em.fork().transactional(
        async (em) => {
          await em.execute('select 1 from kernel_stream limit 1');
          if (competitors-- > 0) {
            await publish(kernel, order(other, { streamKey }));
          }
          await kernel.outbox.publish(order(mine, { streamKey }), { em });
        },
        { isolationLevel: IsolationLevel.REPEATABLE_READ },
      );
    const error = await attempt().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RetryableTransactionError);
    expect(error).toMatchObject({
      code: 'OUTBOX_TRANSACTION_RETRYABLE',
      sqlState: '40001',
      message: expect.stringContaining('run it again'),
      cause: { code: '40001' },
    });
    expect(await written(kernel.database, mine)).toEqual([]);

    await attempt();
    expect(await written(kernel.database, mine, other)).toMatchObject([{ event_id: other }, { event_id: mine }]);
  });

  it('[KFM-5] is one to run again when the two waited for each other', async () => {
    const [first, second] = [randomUUID(), randomUUID()];
    const bothHoldOne = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const run = (place: number, keys: string[]) =>
      kernel.em.fork().transactional(async (em) => {
        for (const idempotencyKey of keys) {
          await kernel.outbox.publish(order(randomUUID(), { idempotencyKey }), { em });
          bothHoldOne[place]!.resolve();
          await Promise.all(bothHoldOne.map(({ promise }) => promise));
        }
      });
    // Different events: the survivor finds no conflicting keys, because the other transaction is rolled back.
    const outcomes = await Promise.allSettled([run(0, [first, second]), run(1, [second, first])]);
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(refused).toHaveLength(1);
    expect(refused[0]!.reason).toBeInstanceOf(RetryableTransactionError);
    expect(refused[0]!.reason).toMatchObject({ sqlState: '40P01', cause: { code: '40P01' } });
  });

  it('is one to run again on a server that has become a standby', async () => {
    const eventId = randomUUID();
    const attempt = kernel.em.fork().transactional(async (em) => {
      await em.execute('set transaction read only');
      await kernel.outbox.publish(order(eventId), { em });
    });
    await expect(attempt).rejects.toMatchObject({ code: 'OUTBOX_TRANSACTION_RETRYABLE', sqlState: '25006' });
    expect(await written(kernel.database, eventId)).toEqual([]);
  });

  it('is one to run again when its connection is lost before the commit', async () => {
    const eventId = randomUUID();
    const attempt = kernel.em.fork().transactional(async (em) => {
      const [{ pid }] = await em.execute<[{ pid: number }]>('select pg_backend_pid() as pid');
      await kernel.outbox.publish(order(eventId), { em });
      await kernel.database.query('select pg_terminate_backend($1)', [pid]);
    });
    await expect(attempt).rejects.toMatchObject({
      code: 'OUTBOX_TRANSACTION_RETRYABLE',
      sqlState: expect.stringMatching(/^(57P01|08006)$/),
    });
    expect(await written(kernel.database, eventId)).toEqual([]);
  });
});
