import { randomUUID } from 'node:crypto';
import { drizzle } from 'drizzle-orm/node-postgres';
import { sql as drizzleSql } from 'drizzle-orm';
import { CompiledQuery, Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { InvalidPublishOptionsError, OutboxTransactionRequiredError } from '../../src/eventbus.errors.js';
import type { PgClient } from '../../src/outbox/client-transaction.js';
import type { PublishableEvent } from '../../src/envelope/publishable-event.js';
import { WebhookReceiver } from '@kernel/eventbus/testing';
import type { KernelApp } from '@kernel/test-support/kernel-app';
import { createTestDatabase, type TestDatabase } from '@kernel/test-support/test-database';
import { lastSequence, order, ORDERED, startPublisher, tenantId, written } from './publisher.js';

describe('publish with a pg client', () => {
  let database: TestDatabase;
  let kernel: KernelApp;
  let pool: pg.Pool;
  let client: pg.PoolClient;
  beforeAll(async () => {
    database = await createTestDatabase();
    kernel = await startPublisher(database);
    await database.query('create table test_order (id uuid primary key)');
    pool = new pg.Pool({ connectionString: database.appUrl });
  });
  beforeEach(async () => {
    client = await pool.connect();
  });
  afterEach(() => client.release(true));
  afterAll(async () => {
    await pool.end();
    await kernel.close();
    await database.drop();
  });

  const fresh = (more: Partial<PublishableEvent> = {}): PublishableEvent => {
    const streamKey = `order:${randomUUID()}`;
    return { type: ORDERED, tenantId, streamKey, traceId: 'trace-0001', ...more };
  };
  const idsOf = async (streamKey: string) =>
    (
      await database.query<{ event_id: string }>(
        'select event_id from kernel_outbox_event where stream_key = $1 order by stream_sequence',
        [streamKey],
      )
    ).map((row) => row.event_id);
  const keysOf = (key: string) => database.query('select from kernel_idempotency_key where key = $1', [key]);
  const insertOrder = () => client.query('insert into test_order values ($1)', [randomUUID()]);

  it('writes the events with the state, at the commit', async () => {
    const event = fresh();
    await client.query('begin');
    await insertOrder();
    const [one, two] = await kernel.outbox.publishAll([event, event], { client });
    const three = await kernel.outbox.publish(event, { client });
    expect(await idsOf(event.streamKey)).toEqual([]);
    await client.query('commit');
    expect(await idsOf(event.streamKey)).toEqual([one!.eventId, two!.eventId, three.eventId]);
    expect(await lastSequence(database, event.streamKey)).toBe(3);
  });

  it('works as the first statement of a transaction', async () => {
    const event = fresh();
    await client.query('begin');
    await kernel.outbox.publish(event, { client });
    await client.query('commit');
    expect(await idsOf(event.streamKey)).toHaveLength(1);
  });

  it('writes nothing when the transaction rolls back', async () => {
    const event = fresh({ idempotencyKey: randomUUID() });
    await client.query('begin');
    await kernel.outbox.publish(event, { client });
    await client.query('rollback');
    expect(await idsOf(event.streamKey)).toEqual([]);
    expect(await keysOf(event.idempotencyKey!)).toEqual([]);
  });

  it('takes one statement for any number of events, once the transaction has written', async () => {
    const statements: string[] = [];
    const watched: PgClient = {
      query: (text, values) => {
        statements.push(text);
        return client.query(text, values);
      },
    };
    await client.query('begin');
    await insertOrder();
    await kernel.outbox.publishAll(
      Array.from({ length: 50 }, () => fresh()),
      { client: watched },
    );
    await client.query('commit');
    expect(statements).toHaveLength(1);
  });

  it('drops the events of a savepoint that is rolled back to, and gives their numbers to later ones', async () => {
    const event = fresh();
    await client.query('begin');
    const kept = await kernel.outbox.publish(event, { client });
    await client.query('savepoint mine');
    await kernel.outbox.publishAll([event, event], { client });
    await client.query('rollback to savepoint mine');
    const later = await kernel.outbox.publish(event, { client });
    await client.query('commit');
    expect(await idsOf(event.streamKey)).toEqual([kept.eventId, later.eventId]);
    expect(await lastSequence(database, event.streamKey)).toBe(2);
  });

  const outside: [string, () => PublishableEvent][] = [
    ['an event', () => fresh()],
    ['an event with an id', () => fresh({ eventId: randomUUID() })],
    ['an event with a key', () => fresh({ idempotencyKey: randomUUID() })],
  ];
  const expectNothing = async (event: PublishableEvent) => {
    expect(await idsOf(event.streamKey)).toEqual([]);
    expect(await lastSequence(database, event.streamKey)).toBeUndefined();
    expect(await keysOf(event.idempotencyKey ?? '')).toEqual([]);
  };

  it.each(outside)('refuses %s without a transaction, also through a pool, and writes nothing', async (_, make) => {
    const event = make();
    for (const handed of [client, pool]) {
      const refused = kernel.outbox.publish(event, { client: handed });
      await expect(refused).rejects.toThrow(OutboxTransactionRequiredError);
    }
    await insertOrder();
    await expect(kernel.outbox.publish(event, { client })).rejects.toThrow(/a pg client after its BEGIN/);
    await client.query('begin; commit');
    await expect(kernel.outbox.publish(event, { client })).rejects.toThrow(OutboxTransactionRequiredError);
    await expectNothing(event);
  });

  it.each(outside)('refuses %s without a transaction, under deduplication too', async (_, make) => {
    const deduplicating = await startPublisher(database, { deduplication: { scope: 'tenant', retentionDays: 7 } });
    const event = make();
    const refused = deduplicating.outbox.publish(event, { client });
    await expect(refused).rejects.toThrow(OutboxTransactionRequiredError);
    await deduplicating.close();
    await expectNothing(event);
  });

  it('answers as it has written when the commit overtakes a publish that was not awaited', async () => {
    const event = fresh();
    await client.query('begin');
    const publishing = kernel.outbox.publish(event, { client });
    publishing.catch(() => undefined);
    await client.query('commit');
    await publishing.catch((error: unknown) => expect(error).toBeInstanceOf(OutboxTransactionRequiredError));
    const isPublished = await publishing.then(
      () => true,
      () => false,
    );
    expect(await idsOf(event.streamKey)).toHaveLength(isPublished ? 1 : 0);
  });

  it('recognises repeats under deduplication, within the transaction and across, and leaves no savepoint', async () => {
    const deduplicating = await startPublisher(database, { deduplication: { scope: 'tenant', retentionDays: 7 } });
    const event = order(randomUUID());
    await client.query('begin');
    await deduplicating.outbox.publish(event, { client });
    const [again] = await deduplicating.outbox.publishAll([event, event], { client });
    expect(again!.eventId).toBe(event.eventId);
    await expect(client.query('release savepoint kernel_outbox')).rejects.toMatchObject({ code: '3B001' });
    await client.query('rollback');
    await client.query('begin');
    await deduplicating.outbox.publish(event, { client });
    await client.query('commit');
    await client.query('begin');
    await deduplicating.outbox.publish(event, { client });
    await client.query('commit');
    await deduplicating.close();
    expect(await written(database, event.eventId!)).toHaveLength(1);
    expect(await lastSequence(database, event.streamKey)).toBe(1);
  });

  it('keeps the transaction alive when another one wrote the repeat in the meantime', async () => {
    const deduplicating = await startPublisher(database, { deduplication: { scope: 'tenant', retentionDays: 7 } });
    const event = order(randomUUID());
    const other = await pool.connect();
    await other.query('begin');
    await deduplicating.outbox.publish(event, { client: other });
    await client.query('begin');
    const waiting = deduplicating.outbox.publish(event, { client });
    await other.query('commit');
    other.release();
    expect((await waiting).eventId).toBe(event.eventId);
    await insertOrder();
    await client.query('commit');
    await deduplicating.close();
    expect(await lastSequence(database, event.streamKey)).toBe(1);
  });

  it('refuses em and client together, and a client that is none', async () => {
    const event = fresh();
    await client.query('begin');
    const both = kernel.em.fork().transactional((em) => kernel.outbox.publish(event, { em, client }));
    await expect(both).rejects.toThrow(InvalidPublishOptionsError);
    await expect(both).rejects.toThrow(/em and client name two transactions/);
    await expect(kernel.outbox.publish(event, { client: {} as never })).rejects.toThrow(/client must be a pg client/);
    await expect(kernel.outbox.publish(event, { client: null as never })).rejects.toThrow(/client must be a pg client/);
    await client.query('commit');
    expect(await idsOf(event.streamKey)).toEqual([]);
  });

  it('joins a transaction of Drizzle', async () => {
    const [kept, dropped] = [fresh(), fresh()];
    const db = drizzle({ client });
    const place = (event: PublishableEvent, fails: boolean) =>
      db.transaction(async (tx) => {
        await tx.execute(drizzleSql`insert into test_order values (${randomUUID()})`);
        await kernel.outbox.publish(event, { client });
        if (fails) {
          tx.rollback();
        }
      });
    await place(kept, false);
    await expect(place(dropped, true)).rejects.toThrow(/Rollback/);
    expect(await idsOf(kept.streamKey)).toHaveLength(1);
    expect(await idsOf(dropped.streamKey)).toEqual([]);
  });

  it('joins a transaction of Kysely', async () => {
    const [kept, dropped] = [fresh(), fresh()];
    const db = new Kysely<{ test_order: { id: string } }>({ dialect: new PostgresDialect({ pool }) });
    const place = (event: PublishableEvent, fails: boolean) =>
      db.transaction().execute(async (trx) => {
        await trx.insertInto('test_order').values({ id: randomUUID() }).execute();
        const query = (text: string, values: unknown[] = []) => trx.executeQuery(CompiledQuery.raw(text, values));
        await kernel.outbox.publish(event, { client: { query } });
        if (fails) {
          throw new Error('changed my mind');
        }
      });
    await place(kept, false);
    await expect(place(dropped, true)).rejects.toThrow('changed my mind');
    expect(await idsOf(kept.streamKey)).toHaveLength(1);
    expect(await idsOf(dropped.streamKey)).toEqual([]);
  });

  it('delivers what was published, found by polling', async () => {
    const worker = await startPublisher(database, { role: 'worker' });
    const receiver = await WebhookReceiver.start();
    await worker.addEndpoint({ tenantId, url: receiver.url, types: ['order.polled.v1'] });
    await client.query('begin');
    const { eventId } = await kernel.outbox.publish(fresh({ type: 'order.polled.v1' }), { client });
    await client.query('commit');
    await receiver.receives(1);
    expect(receiver.received[0]!.headers['webhook-id']).toBe(eventId);
    await receiver.stop();
    await worker.close();
  });
});
