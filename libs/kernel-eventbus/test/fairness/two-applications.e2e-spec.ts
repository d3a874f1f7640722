import { randomUUID } from 'node:crypto';
import { EventHandler, type HandledEvent } from '../../src/dispatch/handlers/event-handler.decorator.js';
import { waitFor } from '@kernel/eventbus/testing';
import { Injectable, Module } from '@nestjs/common';
import { startKernelApp, type KernelApp } from '@kernel/test-support/kernel-app';
import { createTestDatabase, type TestDatabase } from '@kernel/test-support/test-database';

const handled: string[] = [];

@Injectable()
class First {
  @EventHandler({ name: 'first.plain', types: ['first.v1'] })
  plain({ eventId }: HandledEvent): void {
    handled.push(eventId);
  }

  @EventHandler({ name: 'first.ordered', types: ['first.ordered.v1'], ordering: 'stream' })
  ordered({ eventId }: HandledEvent): void {
    handled.push(eventId);
  }
}

@Injectable()
class Second {
  @EventHandler({ name: 'second.plain', types: ['second.v1'] })
  plain({ eventId }: HandledEvent): void {
    handled.push(eventId);
  }
}

@Module({ providers: [First] })
class FirstModule {}

@Module({ providers: [Second] })
class SecondModule {}

describe('two applications with different handlers on one database', () => {
  let database: TestDatabase;
  const apps: KernelApp[] = [];
  beforeEach(async () => {
    handled.length = 0;
    database = await createTestDatabase();
  });
  afterEach(async () => {
    await Promise.all(apps.splice(0).map((app) => app.close()));
    await database.drop();
  });

  const start = async (module: typeof FirstModule | typeof SecondModule) => {
    const app = await startKernelApp({ imports: [module], database });
    apps.push(app);
    return app;
  };
  const publish = (app: KernelApp, type: string, count: number) =>
    app.em.fork().transactional((em) =>
      app.outbox.publishAll(
        Array.from({ length: count }, (_, n) => ({
          tenantId: randomUUID(),
          type,
          streamKey: `s:${n}`,
          traceId: 'trace-0001',
        })),
        { em },
      ),
    );
  const countDeliveries = async (where: string) =>
    (await database.query<{ n: number }>(`select count(*)::int as n from kernel_webhook_delivery where ${where}`))[0]!
      .n;

  it("claim nothing of each other's: each delivery has one attempt, by the application that has its handler", async () => {
    const [first, second] = [await start(FirstModule), await start(SecondModule)];
    for (const type of ['first.v1', 'first.ordered.v1', 'second.v1']) {
      await publish(first, type, 20);
      await publish(second, type, 20);
    }
    await waitFor(() => handled.length >= 120, 'everything to be handled');
    await waitFor(async () => (await countDeliveries(`status = 'DELIVERED'`)) === 120, 'everything to be recorded');
    expect(new Set(handled).size).toBe(120);
    expect(
      await database.query(`select kind from kernel_ledger_entry where detail ? 'errorClass' or kind = 'deferred'`),
    ).toEqual([]);
    expect(await countDeliveries('last_error_ref is not null')).toBe(0);
  });

  it('leave a delivery in the queue while nobody has its handler', async () => {
    const first = await start(FirstModule);
    const second = await start(SecondModule);
    apps.splice(apps.indexOf(second), 1);
    await second.close();
    await publish(first, 'second.v1', 5);
    await publish(first, 'first.v1', 5);
    await waitFor(() => handled.length === 5, 'what can be handled');
    await waitFor(
      async () => (await countDeliveries(`status = 'PENDING' and lease_epoch = 0`)) === 5,
      'the others to wait',
    );
    await start(SecondModule);
    await waitFor(() => handled.length === 10, 'the others to be handled');
  });
});
