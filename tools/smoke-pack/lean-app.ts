import assert from 'node:assert/strict';
import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import {
  EnvFileSecretsProvider,
  EventBusModule,
  EventHandler,
  OutboxService,
  eventBusEntities,
  kernelMigrations,
  migrate,
  newEventId,
  type HandledEvent,
} from '@kernel/eventbus';
import { WebhookReceiver, waitFor } from '@kernel/eventbus/testing';
import { Migrator } from '@mikro-orm/migrations';
import { MikroOrmModule } from '@mikro-orm/nestjs';
import { EntityManager, MikroORM, PostgreSqlDriver, defineConfig } from '@mikro-orm/postgresql';
import { Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';

/** A third-party app that publishes, handles and delivers with `@kernel/eventbus` alone. */
const TENANT_ID = randomUUID();
const KEY = randomBytes(32);

const ormOptions = defineConfig({
  driver: PostgreSqlDriver,
  clientUrl: process.env.DATABASE_URL!,
  entities: [...eventBusEntities],
  extensions: [Migrator],
  migrations: { migrationsList: [...kernelMigrations], snapshot: false, silent: true },
});

@Injectable()
class Orders {
  readonly handled: string[] = [];

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
          traceId: 'smoke-pack-0002',
          payload: { orderId },
        },
        { em },
      ),
    );
  }

  @EventHandler({ name: 'orders', types: ['order.placed.v1'] })
  handle({ payload }: HandledEvent): void {
    this.handled.push(String(payload.orderId));
  }
}

@Module({
  imports: [
    MikroOrmModule.forRoot(ormOptions),
    EventBusModule.forRoot({
      masterKey: randomBytes(32).toString('base64'),
      secretsProvider: new EnvFileSecretsProvider({
        env: { KERNEL_SECRET_SMOKE: `whsec_${KEY.toString('base64')}` },
      }),
      allowHttp: true,
      allowedCidrs: ['127.0.0.0/8'],
    }),
  ],
  providers: [Orders],
})
class AppModule {}

const orm = await MikroORM.init(ormOptions);
await migrate(orm);
const receiver = await WebhookReceiver.start();
await orm.em.getConnection().execute(
  `insert into kernel_webhook_endpoint
     (endpoint_id, tenant_id, url, operator_url, subscribed_types, signing_secret_alias, is_external)
   values (?, ?, ?, ?, array['order.placed.v1'], 'smoke', false)`,
  [newEventId(), TENANT_ID, receiver.url, receiver.url],
);
await orm.close();

const app = await NestFactory.createApplicationContext(AppModule, { logger: ['error', 'warn'] });
try {
  const orders = app.get(Orders);
  const { eventId } = await orders.place('order-1');
  const [webhook] = await receiver.receives(1);
  const { headers, raw, body } = webhook!;
  const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${raw.toString()}`;
  assert.equal(headers['webhook-signature'], `v1,${createHmac('sha256', KEY).update(signed).digest('base64')}`);
  assert.equal(headers['webhook-id'], eventId);
  assert.deepEqual(body.payload, { orderId: 'order-1' });
  await waitFor(() => orders.handled.includes('order-1'), 'the handler');
} finally {
  await app.close();
  await receiver.stop();
}
