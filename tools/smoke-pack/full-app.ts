import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { EventBusAdminModule } from '@kernel/eventbus-admin';
import { EventBusMetricsModule } from '@kernel/eventbus-ops';
import { EventBusModule, OutboxService, eventBusEntities, kernelMigrations, migrate } from '@kernel/eventbus';
import { EventBusConsoleModule } from '@kernel/eventbus-console';
import { KafkaDispatcher, KafkaSinkModule } from '@kernel/eventbus-kafka';
import { WebhookReceiver, waitFor } from '@kernel/eventbus/testing';
import { NatsDeliveryWorker, NatsModule, NatsQueueDispatcher, eventSubject } from '@kernel/eventbus-nats';
import { Inbox, inboxEntities, inboxMigrations } from '@kernel/inbox';
import { JetStreamConsumer } from '@kernel/inbox/jetstream';
import { Migrator } from '@mikro-orm/migrations';
import { MikroOrmModule } from '@mikro-orm/nestjs';
import { EntityManager, MikroORM, PostgreSqlDriver, defineConfig } from '@mikro-orm/postgresql';
import { Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Webhook } from 'standardwebhooks';

/** A third-party app: it uses the packages' public API and nothing of this repository. */
const TENANT_ID = randomUUID();
const ADMIN_TOKEN = randomBytes(24).toString('base64url');

const ormOptions = defineConfig({
  driver: PostgreSqlDriver,
  clientUrl: process.env.DATABASE_URL!,
  entities: [...eventBusEntities, ...inboxEntities],
  extensions: [Migrator],
  migrations: { migrationsList: [...kernelMigrations, ...inboxMigrations], snapshot: false, silent: true },
});

@Injectable()
class OrderService {
  constructor(
    private readonly em: EntityManager,
    private readonly outbox: OutboxService,
  ) {}

  place(orderId: string) {
    return this.em.fork().transactional((em) =>
      this.outbox.publish(
        {
          type: 'order.placed.v1',
          tenantId: TENANT_ID,
          streamKey: `order:${orderId}`,
          traceId: 'smoke-pack-0001',
          payload: { orderId },
        },
        { em },
      ),
    );
  }
}

@Module({
  imports: [
    MikroOrmModule.forRoot(ormOptions),
    EventBusModule.forRoot({
      masterKey: randomBytes(32).toString('base64'),
      adminToken: ADMIN_TOKEN,
      allowHttp: true,
      allowedCidrs: ['127.0.0.0/8'],
      dispatchers: [KafkaDispatcher],
    }),
    KafkaSinkModule.forRoot({ brokers: ['127.0.0.1:9'], topics: ['orders'] }),
    EventBusAdminModule,
    EventBusConsoleModule.forRoot(),
    EventBusMetricsModule.forRoot(),
  ],
  providers: [OrderService],
})
class AppModule {}

/** Without a broker it is created and not started. */
const queue = { key: randomBytes(32).toString('base64') };
const connection = { servers: 'nats://127.0.0.1:4222' };
assert.ok(NatsModule.forRoot({ connection, queue }).providers);
assert.ok(new NatsDeliveryWorker({ connection, queue }) instanceof NatsDeliveryWorker);
assert.equal(NatsQueueDispatcher.name, 'NatsQueueDispatcher');
assert.equal(
  eventSubject('kernel.events', { tenantId: 't', streamKey: 's:1', type: 'a.v1' }),
  'kernel.events.t.s%3A1.a%2Ev1',
);

const orm = await MikroORM.init(ormOptions);
await migrate(orm);
await orm.close();

const receiver = await WebhookReceiver.start();
const app = await NestFactory.create(AppModule, { logger: ['error', 'warn'] });
try {
  await app.listen(0, '127.0.0.1');
  const answer = await fetch(`${await app.getUrl()}/admin/eventbus/endpoints`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      tenantId: TENANT_ID,
      url: receiver.url,
      subscribedTypes: ['order.placed.v1'],
      isExternal: false,
    }),
  });
  assert.equal(answer.status, 201, await answer.clone().text());
  const { secret } = (await answer.json()) as { secret: string };

  const event = await app.get(OrderService).place('order-1');

  const [webhook] = await receiver.receives(1);
  const body = new Webhook(secret).verify(webhook!.raw, webhook!.headers as Record<string, string>) as typeof event;
  assert.equal(webhook!.headers['webhook-id'], event.eventId);
  assert.equal(body.eventId, event.eventId);
  assert.deepEqual(body.payload, { orderId: 'order-1' });
  const inbox = Inbox.of(app.get(MikroORM).em, { name: 'smoke', keys: [secret] });
  const received = await inbox.verify({ headers: webhook!.headers, body: webhook!.raw });
  const kinds = [await inbox.process(received, () => undefined), await inbox.process(received, () => undefined)];
  assert.deepEqual(
    kinds.map(({ kind }) => kind),
    ['processed', 'duplicate'],
  );
  assert.equal(typeof JetStreamConsumer, 'function');
  await waitFor(
    async () =>
      (await app.get(MikroORM).em.fork().getConnection().execute(`select status from kernel_webhook_delivery`))[0]
        ?.status === 'DELIVERED',
    'the delivery to be recorded',
  );
  const metrics = await (await fetch(`${await app.getUrl()}/metrics`)).text();
  const page = await (await fetch(`${await app.getUrl()}/console`)).text();
  assert.match(page, /src="\/console\/assets\/index-[\w-]+\.js"/);
  assert.match(metrics, /^outbox_published_total\{service="kernel-eventbus"\} 1$/m);
} finally {
  await app.close();
  await receiver.stop();
}
