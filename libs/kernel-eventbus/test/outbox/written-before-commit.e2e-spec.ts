import { randomUUID } from 'node:crypto';
import { DuplicateEventIdError } from '../../src/eventbus.errors.js';
import { waitFor } from '@kernel/eventbus/testing';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { DatabaseConnection } from 'kysely';
import { startKernelApp, type KernelApp } from '@kernel/test-support/kernel-app';
import { namesOf, registerNames, StatementNames } from '@kernel/runtime';
import { AtCommit, Order, OrderService, PublishOnCreate } from './committing-orders.js';
import { lastSequence, order, publish, written } from './publisher.js';
import { WireTap } from './wire-tap.js';

const WRITE = expect.stringContaining('insert into kernel_outbox_event') as string;

describe('the events of a transaction are written before its commit is sent', () => {
  let kernel: KernelApp;
  let tap: WireTap;
  const atCommit = new AtCommit();
  const onCreate = new PublishOnCreate();
  beforeAll(async () => {
    kernel = await startKernelApp({ role: 'api', entities: [Order], providers: [OrderService] });
    await kernel.database.query('create table test_order (id uuid primary key, note text not null)');
    await kernel.database.query(
      'create table test_claim (event_id uuid, constraint one_claim unique (event_id) deferrable initially deferred)',
    );
    kernel.em.getEventManager().registerSubscriber(atCommit);
    kernel.em.getEventManager().registerSubscriber(onCreate);
    tap = await WireTap.of(kernel.em);
  });
  afterAll(() => kernel.close());
  afterEach(async () => {
    tap.wrap = (query, args) => query(...args);
    onCreate.outbox = undefined;
    atCommit.committed.length = 0;
    // No connection leaks, whatever the failure.
    await waitFor(() => tap.pool.totalCount === tap.pool.idleCount, 'every connection back in the pool');
  });

  const transactional = (eventId: string, meanwhile: (em: EntityManager) => Promise<unknown> = async () => undefined) =>
    kernel.em.fork().transactional(async (em) => {
      em.persist(em.create(Order, { id: eventId, note: '' }));
      await kernel.outbox.publish(order(eventId), { em });
      await meanwhile(em);
    });
  const orders = (id: string) => kernel.database.query('select 1 from test_order where id = $1', [id]);
  const failureOf = (work: Promise<unknown>) => work.then(() => undefined).catch((thrown: unknown) => thrown);
  const expectNothingOf = async (eventId: string) => {
    expect(await orders(eventId)).toEqual([]);
    expect(await lastSequence(kernel.database, `order:${eventId}`)).toBeUndefined();
    expect(atCommit.committed).toEqual([]);
  };
  /** Publishes the id in another transaction, which commits first. */
  const takenBy = (eventId: string) => () => publish(kernel, order(eventId, { streamKey: 'order:other' }));

  it('refuses at the commit when another transaction took the id in the meantime', async () => {
    const event = order(randomUUID());
    const late = kernel.em.fork().transactional(async (em) => {
      await kernel.outbox.publish(event, { em });
      await kernel.outbox.publishDetached(event);
    });
    await expect(late).rejects.toThrow(DuplicateEventIdError);
  });

  it('by one statement, and numbered', async () => {
    const streamKey = `order:${randomUUID()}`;
    const both = [1, 2].map(() => ({ ...order(randomUUID(), { streamKey }), eventId: undefined }));
    // Twice, so the second run finds the statement prepared.
    for (const last of [2, 4]) {
      await publish(kernel, ...both);
      expect(tap.transactions.at(-1)).toEqual({ texts: ['begin', WRITE, 'commit'], roundTrips: 3 });
      expect(await lastSequence(kernel.database, streamKey)).toBe(last);
    }
  });

  it('also where statements have no names', async () => {
    const [fine, taken] = [randomUUID(), randomUUID()];
    const client = kernel.em.getConnection().getClient();
    const names = namesOf(client);
    registerNames(client, new StatementNames(false));
    let failure: unknown;
    try {
      await transactional(fine);
      failure = await failureOf(transactional(taken, takenBy(taken)));
    } finally {
      registerNames(client, names);
    }
    expect(await written(kernel.database, fine)).toHaveLength(1);
    expect(failure).toBeInstanceOf(DuplicateEventIdError);
    expect(await orders(taken)).toEqual([]);
  });

  it('and a transaction that published nothing commits as ever', async () => {
    await kernel.em.fork().transactional((em) => em.execute('select 1'));
    expect(tap.transactions.at(-1)).toEqual({ texts: ['begin', 'select 1', 'commit'], roundTrips: 3 });
  });

  const ways: Record<string, (eventId: string, meanwhile: () => Promise<unknown>) => Promise<void>> = {
    'em.transactional': transactional,
    'em.begin and em.commit': async (eventId, meanwhile) => {
      const em = kernel.em.fork();
      await em.begin();
      try {
        em.persist(em.create(Order, { id: eventId, note: '' }));
        await kernel.outbox.publish(order(eventId), { em });
        await meanwhile();
        await em.commit();
      } catch (error) {
        await em.rollback();
        throw error;
      }
    },
    '@Transactional': (eventId, meanwhile) => kernel.app.get(OrderService).place(eventId, meanwhile),
    'the transaction of a flush': async (eventId, meanwhile) => {
      Object.assign(onCreate, { outbox: kernel.outbox, meanwhile });
      const em = kernel.em.fork();
      em.persist(em.create(Order, { id: eventId, note: '' }));
      await em.flush();
    },
    'a savepoint': (eventId, meanwhile) =>
      kernel.em.fork().transactional((outer) =>
        outer.transactional(async (em) => {
          em.persist(em.create(Order, { id: eventId, note: '' }));
          await kernel.outbox.publish(order(eventId), { em });
          await meanwhile();
        }),
      ),
  };
  it.each(Object.keys(ways))('%s writes both or, when the events are refused, throws why and nothing', async (way) => {
    const [fine, taken] = [randomUUID(), randomUUID()];
    await ways[way]!(fine, async () => undefined);
    expect(await orders(fine)).toHaveLength(1);
    expect(await written(kernel.database, fine)).toMatchObject([{ stream_sequence: '1' }]);

    const failure = await failureOf(
      ways[way]!(taken, async () => {
        await takenBy(taken)();
        atCommit.committed.length = 0;
      }),
    );
    expect(failure).toBeInstanceOf(DuplicateEventIdError);
    expect(failure).toMatchObject({ message: expect.stringContaining(taken), cause: { code: '23505' } });
    await expectNothingOf(taken);
  });

  it('while what fails at the commit itself comes out as it is', async () => {
    const eventId = randomUUID();
    const failure = await failureOf(
      transactional(eventId, (em) => em.execute(`insert into test_claim values ('${eventId}'), ('${eventId}')`)),
    );
    // It resembles a duplicate event id, but the constraint is the caller's.
    expect(failure).not.toBeInstanceOf(DuplicateEventIdError);
    expect(failure).toMatchObject({ code: '23505', constraint: 'one_claim' });
    await expectNothingOf(eventId);
  });

  it('and fail with a transaction that PostgreSQL has given up, which a commit alone would not', async () => {
    const eventId = randomUUID();
    const failure = await failureOf(transactional(eventId, (em) => em.execute('select 1 / 0').catch(() => undefined)));
    expect(failure).toMatchObject({ code: '25P02' });
    await expectNothingOf(eventId);
  });

  it('and not kept when another subscriber refuses the commit', async () => {
    const refused = randomUUID();
    atCommit.next = async (trx) => {
      await trx.getExecutor().executeQuery({ sql: 'select 2', parameters: [] } as never);
      throw new Error('not now');
    };
    expect(await failureOf(transactional(refused))).toMatchObject({ message: 'not now' });
    expect(tap.transactions.at(-1)!.texts.slice(-3)).toEqual([WRITE, 'select 2', 'rollback']);
    await expectNothingOf(refused);
    await transactional(randomUUID());
    expect(await written(kernel.database, refused)).toEqual([]);
  });

  it('once, when a commit that others refused is tried again', async () => {
    const eventId = randomUUID();
    const em = kernel.em.fork();
    await em.begin();
    await kernel.outbox.publish(order(eventId), { em });
    atCommit.next = () => Promise.reject(new Error('not now'));
    await expect(em.commit()).rejects.toThrow('not now');
    await em.commit();
    expect(await written(kernel.database, eventId)).toMatchObject([{ stream_sequence: '1' }]);
  });

  it('on a connection of which no method is replaced', async () => {
    const { promise: connection, resolve } = Promise.withResolvers<DatabaseConnection>();
    atCommit.next = (trx) => trx.getExecutor().provideConnection(async (its) => resolve(its));
    await transactional(randomUUID());
    expect(Object.hasOwn(await connection, 'executeQuery')).toBe(false);
  });

  it('and when they are lost on the way, nothing is written and the place in the pool is free', async () => {
    const [first, eventId] = [randomUUID(), randomUUID()];
    await publish(kernel, order(first));
    const holder = kernel.em.fork();
    await holder.begin();
    await holder.execute(`select from kernel_stream where stream_key = 'order:${first}' for update`);
    const work = failureOf(
      kernel.em.fork().transactional(async (em) => {
        em.persist(em.create(Order, { id: eventId, note: '' }));
        await kernel.outbox.publish(order(eventId, { streamKey: `order:${first}` }), { em });
      }),
    );
    await waitFor(async () => {
      const ended = await kernel.database.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock' and query like '%kernel_outbox_event%'`,
      );
      return ended.length === 1;
    }, 'the events that wait for their stream');
    expect(await work).toMatchObject({ code: 'OUTBOX_TRANSACTION_RETRYABLE', sqlState: '57P01' });
    await holder.rollback();
    expect(await orders(eventId)).toEqual([]);
    expect(await lastSequence(kernel.database, `order:${first}`)).toBe(1);
  });

  it.each<[string, (text: string) => string]>([
    ['changes the text of the commit', () => 'commit and no chain'],
    ['adds a comment to it', (text) => `/* traced */ ${text}`],
  ])('so that state and events stand together behind a wrapper of client.query that %s', async (_, change) => {
    const eventId = randomUUID();
    tap.wrap = (query, [first, ...rest]) => query(first === 'commit' ? change(first) : first, ...rest);
    await transactional(eventId);
    expect(tap.transactions.at(-1)!.texts).toContain('commit');
    expect(await orders(eventId)).toHaveLength(1);
    expect(await written(kernel.database, eventId)).toHaveLength(1);
  });

  it('so that neither is kept where a wrapper of client.query keeps the insert back', async () => {
    const eventId = randomUUID();
    tap.wrap = (query, [first, ...rest]) =>
      query(isInsert(first) ? { ...first, text: 'select from no_such_table', name: undefined } : first, ...rest);
    await expect(transactional(eventId)).rejects.toMatchObject({ code: expect.stringMatching(/^42P/) });
    await expectNothingOf(eventId);
  });
});

function isInsert(query: unknown): query is { text: string } {
  return ((query as { text?: string }).text ?? '').includes('insert into kernel_outbox_event');
}
