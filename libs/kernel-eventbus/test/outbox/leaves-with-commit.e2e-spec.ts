import { randomUUID } from 'node:crypto';
import { inspect } from 'node:util';
import { DuplicateEventIdError } from '@kernel/eventbus';
import { waitFor } from '@kernel/eventbus/testing';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { DatabaseConnection } from 'kysely';
import { startKernelApp, type KernelApp } from '../../../../test/support/kernel-app.js';
import { nameStatements } from '../../src/runtime/prepared.js';
import { AtCommit, Order, OrderService, PublishOnCreate } from './committing-orders.js';
import { lastSequence, order, publish, written } from './publisher.js';
import { WireTap } from './wire-tap.js';

const WRITE = expect.stringContaining('insert into kernel_outbox_event') as string;

describe('the events of a transaction leave together with its commit', () => {
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
    // Whatever went wrong, nobody keeps a connection.
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
  /** Two transactions publish an id that neither sees of the other; this one commits second. */
  const takenBy = (eventId: string) => () => publish(kernel, order(eventId, { streamKey: 'order:other' }));

  it('in one round trip, with the events written and numbered', async () => {
    const streamKey = `order:${randomUUID()}`;
    const both = [1, 2].map(() => ({ ...order(randomUUID(), { streamKey }), eventId: undefined }));
    // Twice, so that the second finds the statement parsed.
    for (const last of [2, 4]) {
      await publish(kernel, ...both);
      expect(tap.transactions.at(-1)).toEqual({ texts: ['begin', WRITE], roundTrips: 2 });
      expect(await lastSequence(kernel.database, streamKey)).toBe(last);
    }
  });

  it('also where statements have no names', async () => {
    const [fine, taken] = [randomUUID(), randomUUID()];
    nameStatements(false);
    let failure: unknown;
    try {
      await transactional(fine);
      failure = await failureOf(transactional(taken, takenBy(taken)));
    } finally {
      nameStatements(true);
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
    // It looks like an event id that is taken, but is a constraint of the caller's.
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

  it('behind what others send at the commit, and not at all when they refuse it', async () => {
    const [fine, refused] = [randomUUID(), randomUUID()];
    const { promise: connection, resolve } = Promise.withResolvers<DatabaseConnection>();
    atCommit.next = (trx) => trx.getExecutor().provideConnection(async (its) => resolve(its));
    await transactional(fine);
    expect(Object.hasOwn(await connection, 'executeQuery')).toBe(false);

    atCommit.next = async (trx) => {
      await trx.getExecutor().executeQuery({ sql: 'select 2', parameters: [] } as never);
      throw new Error('not now');
    };
    atCommit.committed.length = 0;
    expect(await failureOf(transactional(refused))).toMatchObject({ message: 'not now' });
    expect(tap.transactions.at(-1)!.texts.slice(-2)).toEqual(['select 2', 'rollback']);
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

  it('and leave alone what logs the queries of a connection', async () => {
    const logged: unknown[] = [];
    let logging: DatabaseConnection['executeQuery'] | undefined;
    let connection: DatabaseConnection | undefined;
    const eventId = randomUUID();
    await transactional(eventId, (em) =>
      em
        .getKysely()
        .getExecutor()
        .provideConnection(async (its) => {
          const executeQuery = its.executeQuery.bind(its);
          logging = its.executeQuery = ((query, options) => {
            logged.push(query);
            return executeQuery(query, options);
          }) as typeof executeQuery;
          connection = its;
        }),
    );
    expect(connection!.executeQuery).toBe(logging);
    delete (connection as Partial<DatabaseConnection>).executeQuery;
    expect(await written(kernel.database, eventId)).toHaveLength(1);
    expect(inspect(logged, { depth: 9, showHidden: true })).not.toContain(`"eventId":"${eventId}"`);
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
    expect(await work).toMatchObject({ message: expect.stringMatching(/terminat/) });
    await holder.rollback();
    expect(await orders(eventId)).toEqual([]);
    expect(await lastSequence(kernel.database, `order:${first}`)).toBe(1);
  });

  interface Submittable {
    submit(): void;
    handleError(error: Error): void;
  }
  const isOurs = (query: unknown): query is Submittable => typeof (query as Partial<Submittable>).submit === 'function';

  it('in two round trips where the driver takes no queries but its own, as pg does in its pipeline mode', async () => {
    const taken = randomUUID();
    tap.wrap = (query, args) => {
      const [first] = args;
      if (!isOurs(first)) {
        return query(...args);
      }
      process.nextTick(() => first.handleError(new Error('not supported in pipeline mode')));
      return first;
    };
    await publish(kernel, { ...order(randomUUID()), eventId: undefined });
    expect(tap.transactions.at(-1)!.texts).toEqual(['begin', WRITE, WRITE, 'commit']);
    expect(await failureOf(transactional(taken, takenBy(taken)))).toBeInstanceOf(DuplicateEventIdError);
    expect(await orders(taken)).toEqual([]);
  });

  it.each<[string, WireTap['wrap'], object]>([
    [
      'passes nothing on',
      (query, args) => (isOurs(args[0]) ? Promise.resolve({ rows: [] }) : query(...args)),
      { code: 'OUTBOX_COMMIT_UNCONFIRMED' },
    ],
    [
      'commits in its stead',
      (query, args) => query(...(isOurs(args[0]) ? ['commit'] : args)),
      { code: 'OUTBOX_COMMIT_UNCONFIRMED' },
    ],
    [
      'passes on a copy, which has no values',
      (query, [first, ...rest]) => query(isOurs(first) ? { ...first } : first, ...rest),
      { code: '25P02' },
    ],
  ])('and are an error, never lost in silence, behind a wrapper of client.query that %s', async (_, wrap, error) => {
    const eventId = randomUUID();
    tap.wrap = wrap;
    await expect(transactional(eventId)).rejects.toMatchObject(error);
    expect(await written(kernel.database, eventId)).toEqual([]);
  });
});
