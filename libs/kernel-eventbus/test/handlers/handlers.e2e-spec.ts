import { randomUUID } from 'node:crypto';
import { EventHandler, type HandledEvent } from '../../src/dispatch/handlers/event-handler.decorator.js';
import { HandlerConfigurationError } from '../../src/eventbus.errors.js';
import { HandlerRefusedError } from '../../src/dispatch/handlers/handler-refused.error.js';
import { OutboxService } from '../../src/outbox/outbox.service.js';
import { waitFor } from '@kernel/eventbus/testing';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, Module, Scope } from '@nestjs/common';
import { sql } from 'kysely';
import { startKernelApp, type KernelApp } from '@kernel/test-support/kernel-app';
import { createTestDatabase, type TestDatabase } from '@kernel/test-support/test-database';

const tenants = [randomUUID(), randomUUID()] as const;
let failures = 0;

@Injectable()
class Bookkeeper {
  constructor(private readonly outbox: OutboxService) {}

  @EventHandler({ name: 'book.amounts', types: ['amount.booked.v1'] })
  async book({ tenantId, payload, traceId }: HandledEvent, em: EntityManager): Promise<void> {
    await sql`
      insert into handled (tenant_id, amount) values (${tenantId}, ${payload.amount})
    `.execute(em.getKysely());
    await this.outbox.publish({ tenantId, type: 'amount.seen.v1', streamKey: 's:1', traceId });
    if (failures-- > 0) {
      throw new Error('not yet', { cause: new Error('the ledger of the day is closed') });
    }
    if (payload.amount === -1) {
      throw new HandlerRefusedError('negative, as it says\nand more');
    }
  }

  @EventHandler({ name: 'book.order', types: ['step.taken.v1'], ordering: 'stream' })
  async inOrder({ tenantId, payload }: HandledEvent, em: EntityManager): Promise<void> {
    await sql`insert into handled (tenant_id, amount) values (${tenantId}, ${payload.n})`.execute(em.getKysely());
  }
}

@Module({ providers: [Bookkeeper] })
class BookkeepingModule {}

describe('handlers inside the application', () => {
  let kernel: KernelApp;
  let database: TestDatabase;
  beforeEach(async () => {
    failures = 0;
    database = await createTestDatabase();
    await database.query('create table handled (place serial, tenant_id uuid, amount int)');
    kernel = await startKernelApp({ imports: [BookkeepingModule], database, retry: { initialDelayMs: 20 } });
  });
  afterEach(async () => {
    await kernel.close();
    await database.drop();
  });

  const publish = (type: string, payload: Record<string, unknown>, tenantId: string = tenants[0], streamKey = 's:1') =>
    kernel.outbox.publishDetached({ tenantId, type, streamKey, traceId: 'trace-0001', payload });
  const deliveries = () =>
    database.query<{ status: string; attempts: number; delivery_id: string }>(
      `select delivery_id, status, attempts, dead_letter_reason from kernel_webhook_delivery`,
    );
  const settled = (count: number) =>
    waitFor(
      async () =>
        (await deliveries()).filter(({ status }) => status === 'DELIVERED' || status === 'DLQ').length === count,
      `${count} deliveries to be settled`,
    );

  it('get the events of all tenants, from the outbox, by the engine that serves endpoints', async () => {
    await publish('amount.booked.v1', { amount: 5 });
    await publish('amount.booked.v1', { amount: 7 }, tenants[1]);
    await settled(2);
    expect(await database.query('select tenant_id, amount from handled order by amount')).toEqual([
      { tenant_id: tenants[0], amount: 5 },
      { tenant_id: tenants[1], amount: 7 },
    ]);
    const delivered = { kind: 'attempt', conclusion: 'delivered' };
    expect(
      await database.query('select kind, conclusion from kernel_ledger_entry where delivery_id is not null'),
    ).toEqual([delivered, delivered]);
  });

  it('roll back all that they did when they throw, and get the event again', async () => {
    failures = 2;
    await publish('amount.booked.v1', { amount: 5 });
    await settled(1);
    expect(await deliveries()).toMatchObject([{ status: 'DELIVERED', attempts: 3 }]);
    expect(await database.query('select amount from handled')).toEqual([{ amount: 5 }]);
    expect(
      await database.query(`select count(*)::int as count from kernel_outbox_event where type = 'amount.seen.v1'`),
    ).toEqual([{ count: 1 }]);
  });

  it('that refuse an event send it to the DLQ at once', async () => {
    await publish('amount.booked.v1', { amount: -1 });
    await settled(1);
    expect(await deliveries()).toMatchObject([{ status: 'DLQ', attempts: 1, dead_letter_reason: 'permanent_failure' }]);
    expect(await database.query('select amount from handled')).toEqual([]);
    expect(
      await database.query(`select status_code, error_class, error from kernel_ledger_entry where kind = 'attempt'`),
    ).toEqual([{ status_code: null, error_class: 'handler_refused', error: 'negative, as it says' }]);
  });

  it('do nothing twice, although the event comes again', async () => {
    await publish('amount.booked.v1', { amount: 5 });
    await settled(1);
    await database.query(
      `update kernel_webhook_delivery set status = 'PENDING', settled_at = null, next_attempt_at = now()`,
    );
    await waitFor(async () => (await deliveries())[0]!.attempts === 2, 'the second attempt');
    expect(await database.query('select amount from handled')).toEqual([{ amount: 5 }]);
  });

  it('keep the order of streams where they ask for it, and streams of two tenants apart', async () => {
    for (let n = 1; n <= 5; n++) {
      await publish('step.taken.v1', { n });
      await publish('step.taken.v1', { n: 10 + n }, tenants[1]);
    }
    await settled(10);
    const amounts = await database.query<{ amount: number; tenant_id: string }>(
      'select tenant_id, amount from handled order by place',
    );
    const of = (tenant: string) => amounts.filter((row) => row.tenant_id === tenant).map(({ amount }) => amount);
    expect(of(tenants[0])).toEqual([1, 2, 3, 4, 5]);
    expect(of(tenants[1])).toEqual([11, 12, 13, 14, 15]);
  });

  it('that throw are logged by name, with message, cause and stack', async () => {
    failures = 1;
    const lines: unknown[] = [];
    const keep = (line: unknown) => void lines.push(line);
    kernel.app.useLogger({ log: keep, error: keep, warn: keep });
    const { eventId } = await publish('amount.booked.v1', { amount: 5 });
    await settled(1);
    expect(lines).toContainEqual(
      expect.objectContaining({
        msg: 'handler failed',
        handler: 'book.amounts',
        type: 'amount.booked.v1',
        eventId,
        attempt: 1,
        fault: expect.objectContaining({
          message: 'not yet',
          stack: expect.arrayContaining([expect.stringContaining('Bookkeeper.book')]),
          cause: expect.objectContaining({ message: 'the ledger of the day is closed' }),
        }),
      }),
    );
  });

  it('that depend on a request stop the start', async () => {
    @Injectable({ scope: Scope.REQUEST })
    class CurrentUser {}
    @Injectable()
    class Requested {
      constructor(readonly user: CurrentUser) {}

      @EventHandler({ name: 'requested', types: ['a.v1'] })
      handle(): void {}
    }
    await expect(startKernelApp({ providers: [CurrentUser, Requested], database })).rejects.toThrow(
      /Requested.handle \('requested'\) is request-scoped.*no request/,
    );
  });

  it('of one name stop the start', async () => {
    @Injectable()
    class Twin {
      @EventHandler({ name: 'book.amounts', types: ['amount.booked.v1'] })
      handle(): void {}
    }
    await expect(startKernelApp({ providers: [Twin], imports: [BookkeepingModule], database })).rejects.toThrow(
      HandlerConfigurationError,
    );
  });

  it('without types stop the start', async () => {
    @Injectable()
    class Idle {
      @EventHandler({ name: 'idle', types: [] })
      handle(): void {}
    }
    await expect(startKernelApp({ providers: [Idle], database })).rejects.toThrow(/names no event types/);
  });
});
