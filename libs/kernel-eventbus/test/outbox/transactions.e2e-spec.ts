import { randomUUID } from 'node:crypto';
import { OutboxService } from '../../src/outbox/outbox.service.js';
import {
  OutboxTransactionRequiredError,
  TransactionAlreadyWrittenError,
  UntrackedTransactionError,
} from '../../src/eventbus.errors.js';
import { defineEntity, p, TransactionPropagation } from '@mikro-orm/core';
import { Transactional } from '@mikro-orm/decorators/legacy';
import { EntityManager, MikroORM } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { startKernelApp, type KernelApp } from '@kernel/test-support/kernel-app';

const Order = defineEntity({
  name: 'Order',
  tableName: 'test_order',
  properties: { id: p.uuid().primary(), note: p.text() },
});

@Injectable()
class OrderService {
  constructor(
    // The decorator looks for a property named `orm` or `em`.
    readonly orm: MikroORM,
    private readonly em: EntityManager,
    private readonly outbox: OutboxService,
  ) {}

  @Transactional()
  async place(note: string, fails = false): Promise<void> {
    this.em.persist(this.em.create(Order, { id: randomUUID(), note }));
    await this.outbox.publish(event(note));
    if (fails) {
      throw new Error('changed my mind');
    }
  }
}

const tenantId = randomUUID();

function event(name: string) {
  return { type: 'order.placed.v1', tenantId, streamKey: `order:${name}`, traceId: 'trace-orders', payload: { name } };
}

describe('publish and the transaction around it', () => {
  let kernel: KernelApp;
  beforeAll(async () => {
    kernel = await startKernelApp({ role: 'api', entities: [Order], providers: [OrderService] });
    await kernel.database.query('create table test_order (id uuid primary key, note text not null)');
  });
  afterAll(() => kernel.close());
  beforeEach(() => kernel.database.query('delete from test_order'));

  const order = (em: EntityManager, note: string) => em.create(Order, { id: randomUUID(), note });
  const published = async (...names: string[]) => {
    const rows = await kernel.database.query<{ name: string }>(
      `select payload_jsonb->>'name' as name from kernel_outbox_event where payload_jsonb->>'name' = any($1) order by created_at`,
      [names],
    );
    return rows.map((row) => row.name);
  };
  const orders = async () =>
    (await kernel.database.query<{ note: string }>('select note from test_order order by note')).map((row) => row.note);

  it('[KER-2.1a] [AC10] writes the event when the transaction commits', async () => {
    await kernel.em.fork().transactional(async (em) => {
      em.persist(order(em, 'commits'));
      await kernel.outbox.publish(event('commits'), { em });
    });
    expect(await published('commits')).toEqual(['commits']);
    expect(await orders()).toEqual(['commits']);
  });

  it('[KER-2.1b] [AC10] writes nothing when the transaction rolls back', async () => {
    const work = kernel.em.fork().transactional(async (em) => {
      em.persist(order(em, 'rolls-back'));
      await em.flush();
      await kernel.outbox.publish(event('rolls-back'), { em });
      throw new Error('no');
    });
    await expect(work).rejects.toThrow('no');
    expect(await published('rolls-back')).toEqual([]);
    expect(await orders()).toEqual([]);
  });

  it('[AC4] refuses to publish outside a transaction and writes nothing', async () => {
    const outside = kernel.outbox.publish(event('outside'));
    await expect(outside).rejects.toThrow(OutboxTransactionRequiredError);
    await expect(outside).rejects.toMatchObject({ code: 'OUTBOX_TRANSACTION_REQUIRED' });
    await expect(kernel.outbox.publish(event('outside'), { em: kernel.em.fork() })).rejects.toThrow(/em.transactional/);
    expect(await published('outside')).toEqual([]);
  });

  it('finds the transaction of em.transactional through the injected EntityManager', async () => {
    await kernel.em.transactional(() => kernel.outbox.publish(event('async-context')));
    expect(await published('async-context')).toEqual(['async-context']);
  });

  it('drops the events of a nested transaction that rolls back while the outer one commits', async () => {
    await kernel.em.fork().transactional(async (outer) => {
      await kernel.outbox.publish(event('outer-a'), { em: outer });
      await expect(
        outer.transactional(async (inner) => {
          inner.persist(order(inner, 'inner-a'));
          await kernel.outbox.publish(event('inner-a'), { em: inner });
          throw new Error('inner fails');
        }),
      ).rejects.toThrow('inner fails');
      outer.persist(order(outer, 'outer-a'));
    });
    expect(await published('outer-a', 'inner-a')).toEqual(['outer-a']);
    expect(await orders()).toEqual(['outer-a']);
  });

  it('drops the events of a nested transaction that was released when the outer one rolls back', async () => {
    const work = kernel.em.fork().transactional(async (outer) => {
      await outer.transactional((inner) => kernel.outbox.publish(event('inner-b'), { em: inner }));
      await kernel.outbox.publish(event('outer-b'), { em: outer });
      throw new Error('outer fails');
    });
    await expect(work).rejects.toThrow('outer fails');
    expect(await published('outer-b', 'inner-b')).toEqual([]);
  });

  it('keeps the events of two levels of savepoints, in the order they were published', async () => {
    await kernel.em.fork().transactional(async (outer) => {
      await kernel.outbox.publish(event('level-0'), { em: outer });
      await outer.transactional(async (middle) => {
        await kernel.outbox.publish(event('level-1'), { em: middle });
        await middle.transactional((inner) => kernel.outbox.publish(event('level-2'), { em: inner }));
      });
      await kernel.outbox.publish(event('level-0-again'), { em: outer });
    });
    expect(await published('level-0', 'level-1', 'level-2', 'level-0-again')).toEqual([
      'level-0',
      'level-1',
      'level-2',
      'level-0-again',
    ]);
  });

  it('keeps the events of a REQUIRES_NEW transaction when the suspended one rolls back, and the reverse', async () => {
    const requiresNew = { propagation: TransactionPropagation.REQUIRES_NEW };
    await expect(
      kernel.em.fork().transactional(async (outer) => {
        await kernel.outbox.publish(event('suspended-a'), { em: outer });
        await outer.transactional((own) => kernel.outbox.publish(event('own-a'), { em: own }), requiresNew);
        throw new Error('outer fails');
      }),
    ).rejects.toThrow('outer fails');
    await kernel.em.fork().transactional(async (outer) => {
      await kernel.outbox.publish(event('suspended-b'), { em: outer });
      await expect(
        outer.transactional(async (own) => {
          await kernel.outbox.publish(event('own-b'), { em: own });
          throw new Error('own fails');
        }, requiresNew),
      ).rejects.toThrow('own fails');
    });
    expect(await published('suspended-a', 'own-a', 'suspended-b', 'own-b')).toEqual(['own-a', 'suspended-b']);
  });

  it('joins an explicit begin and commit on a fork that is handed in', async () => {
    const em = kernel.em.fork();
    await em.begin();
    em.persist(order(em, 'explicit'));
    await kernel.outbox.publish(event('explicit'), { em });
    expect(await published('explicit')).toEqual([]);
    await em.commit();
    expect(await published('explicit')).toEqual(['explicit']);

    const other = kernel.em.fork();
    await other.begin();
    await kernel.outbox.publish(event('explicit-rollback'), { em: other });
    await other.rollback();
    expect(await published('explicit-rollback')).toEqual([]);
  });

  it('joins a method with @Transactional()', async () => {
    const service = kernel.app.get(OrderService);
    await service.place('decorated');
    await expect(service.place('decorated-fails', true)).rejects.toThrow('changed my mind');
    expect(await published('decorated', 'decorated-fails')).toEqual(['decorated']);
    expect(await orders()).toEqual(['decorated']);
  });

  it('writes an event that is published after the last flush, and the only thing a transaction does', async () => {
    await kernel.em.fork().transactional(async (em) => {
      em.persist(order(em, 'flushed'));
      await em.flush();
      await kernel.outbox.publish(event('after-flush'), { em });
    });
    await kernel.em.fork().transactional((em) => kernel.outbox.publish(event('only'), { em }));
    expect(await published('after-flush', 'only')).toEqual(['after-flush', 'only']);
  });

  it('never flushes, clears or commits what the caller has', async () => {
    const em = kernel.em.fork();
    await em.begin();
    const pending = order(em, 'not-yet');
    em.persist(pending);
    await kernel.outbox.publish(event('quiet'), { em });
    expect(em.getUnitOfWork().getPersistStack().has(pending)).toBe(true);
    expect(em.isInTransaction()).toBe(true);
    expect(await orders()).toEqual([]);
    await em.rollback();
  });

  it('refuses a transaction that was opened past the EntityManager, whose commit it would not notice', async () => {
    const em = kernel.em.fork();
    const transaction = await em.getConnection().begin();
    em.setTransactionContext(transaction);
    await expect(kernel.outbox.publish(event('untracked'), { em })).rejects.toThrow(UntrackedTransactionError);
    await em.getConnection().rollback(transaction);
  });

  it('refuses to publish when the events of the transaction are written already', async () => {
    const em = kernel.em.fork();
    await em.begin();
    const transaction = em.getTransactionContext();
    await em.commit();
    em.setTransactionContext(transaction);
    await expect(kernel.outbox.publish(event('too-late'), { em })).rejects.toThrow(TransactionAlreadyWrittenError);
  });

  it('publishDetached opens a transaction of its own', async () => {
    await kernel.outbox.publishDetached(event('detached'));
    expect(await published('detached')).toEqual(['detached']);
  });

  it('[AC10] writes all events of a transaction with one statement', async () => {
    await kernel.database.query('create table statement_count (n int)');
    await kernel.database.query(
      `create function count_statement() returns trigger language plpgsql as $$ begin insert into statement_count values (1); return null; end $$`,
    );
    await kernel.database.query(
      'create trigger count_statement after insert on kernel_outbox_event for each statement execute function count_statement()',
    );
    await kernel.em.fork().transactional(async (em) => {
      await kernel.outbox.publish(event('one'), { em });
      await kernel.outbox.publishAll([event('two'), event('three')], { em });
      await em.transactional((inner) => kernel.outbox.publish(event('four'), { em: inner }));
    });
    expect(await published('one', 'two', 'three', 'four')).toEqual(['one', 'two', 'three', 'four']);
    expect(await kernel.database.query('select count(*)::int as statements from statement_count')).toEqual([
      { statements: 1 },
    ]);
  });
});
