import type { PublishOptions } from '../../src/outbox/outbox.service.js';
import type { KernelApp } from '@kernel/test-support/kernel-app';
import pg from 'pg';

/** A way to hand a transaction to `publish`. All of them keep the same promises. */
export interface Way {
  name: string;
  /** Runs the work in a transaction of its own, committed unless the work throws. */
  transactional<T>(
    kernel: KernelApp,
    work: (transaction: PublishOptions) => Promise<T>,
    isolation?: Isolation,
  ): Promise<T>;
  /** Runs the work in a savepoint of the transaction, rolled back to if the work throws. */
  nested<T>(transaction: PublishOptions, work: (savepoint: PublishOptions) => Promise<T>): Promise<T>;
  query(transaction: PublishOptions, text: string): Promise<unknown>;
  close(): Promise<void>;
}

type Isolation = 'read committed' | 'repeatable read';

function viaEntityManager(): Way {
  return {
    name: 'em',
    transactional: (kernel, work, isolation = 'read committed') =>
      kernel.em.fork().transactional((em) => work({ em }), { isolationLevel: isolation as never }),
    nested: ({ em }, work) => em!.transactional((inner) => work({ em: inner })),
    query: ({ em }, text) => em!.execute(text),
    close: () => Promise.resolve(),
  };
}

function viaClient(): Way {
  const pools = new Map<string, pg.Pool>();
  const poolOf = ({ database: { appUrl } }: KernelApp) => {
    const pool = pools.get(appUrl) ?? new pg.Pool({ connectionString: appUrl });
    pools.set(appUrl, pool);
    return pool;
  };
  return {
    name: 'client',
    transactional: async (kernel, work, isolation = 'read committed') => {
      const client = await poolOf(kernel).connect();
      try {
        await client.query(`begin isolation level ${isolation}`);
        const result = await work({ client });
        await client.query('commit');
        return result;
      } catch (error) {
        await client.query('rollback');
        throw error;
      } finally {
        client.release();
      }
    },
    nested: async ({ client }, work) => {
      await client!.query('savepoint theirs');
      try {
        const result = await work({ client });
        await client!.query('release savepoint theirs');
        return result;
      } catch (error) {
        await client!.query('rollback to savepoint theirs');
        throw error;
      }
    },
    query: ({ client }, text) => client!.query(text),
    close: async () => {
      await Promise.all([...pools.values()].map((pool) => pool.end()));
    },
  };
}

export const ways: [string, () => Way][] = [
  ['em', viaEntityManager],
  ['client', viaClient],
];
