import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { EventBusAdminModule } from '@kernel/eventbus-admin';
import { EventBusConsoleModule } from '@kernel/eventbus-console';
import { EventBusHealthModule, EventBusMetricsModule } from '@kernel/eventbus-ops';
import {
  EventBusModule,
  EventHandler,
  OutboxService,
  eventBusEntities,
  kernelMigrations,
  migrate,
  type HandledEvent,
} from '@kernel/eventbus';
import { WebhookReceiver, waitFor } from '@kernel/eventbus/testing';
import { Migrator } from '@mikro-orm/migrations';
import { MikroOrmModule } from '@mikro-orm/nestjs';
import { EntityManager, MikroORM, PostgreSqlDriver, defineConfig } from '@mikro-orm/postgresql';
import {
  type CanActivate,
  type ExecutionContext,
  type INestApplication,
  Injectable,
  Module,
  type NestInterceptor,
  type Provider,
  SetMetadata,
  ValidationPipe,
  VersioningType,
} from '@nestjs/common';
import { APP_GUARD, APP_INTERCEPTOR, NestFactory, Reflector } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { map } from 'rxjs';

/** A third-party app in one of several set-ups: `node app.js <platform> <set-up>`. */
const [, , platform, setUp] = process.argv;
const TENANT_ID = randomUUID();
const ADMIN_TOKEN = randomBytes(24).toString('base64url');
const Public = () => SetMetadata('public', true);

class HostGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    return Boolean(new Reflector().getAllAndOverride('public', [context.getHandler(), context.getClass()]));
  }
}

const wrap: NestInterceptor = {
  intercept: (_context, next) => next.handle().pipe(map((data: unknown) => ({ success: true, data }))),
};

interface SetUp {
  prefix?: string;
  providers?: Provider[];
  configure?: (app: INestApplication) => unknown;
}

const SET_UPS: Record<string, SetUp> = {
  plain: {},
  pipe: {
    configure: (app) => app.useGlobalPipes(new ValidationPipe({ whitelist: true, forbidNonWhitelisted: true })),
  },
  guard: { providers: [{ provide: APP_GUARD, useClass: HostGuard }] },
  interceptor: { providers: [{ provide: APP_INTERCEPTOR, useValue: wrap }] },
  prefix: { prefix: '/api', configure: (app) => app.setGlobalPrefix('api') },
  versioning: { configure: (app) => app.enableVersioning({ type: VersioningType.URI, defaultVersion: '1' }) },
};
const { prefix = '', providers = [], configure } = SET_UPS[setUp!]!;

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
    const event = { type: 'order.placed.v1', tenantId: TENANT_ID, streamKey: `order:${orderId}`, payload: { orderId } };
    return this.em.fork().transactional((em) => this.outbox.publish(event, { em }));
  }

  @EventHandler({ name: 'orders', types: ['order.placed.v1'] })
  handle({ payload }: HandledEvent): void {
    this.handled.push(String(payload.orderId));
  }
}

const decorators = [Public()];

@Module({
  imports: [
    MikroOrmModule.forRoot(ormOptions),
    EventBusModule.forRoot({
      masterKey: randomBytes(32).toString('base64'),
      adminToken: ADMIN_TOKEN,
      allowHttp: true,
      allowedCidrs: ['127.0.0.0/8'],
    }),
    EventBusAdminModule.forRoot({ decorators }),
    EventBusHealthModule.forRoot({ decorators }),
    EventBusMetricsModule.forRoot({ decorators }),
    EventBusConsoleModule.forRoot(),
  ],
  providers: [Orders, ...providers],
})
class AppModule {}

const orm = await MikroORM.init(ormOptions);
await migrate(orm);
await orm.close();

const receiver = await WebhookReceiver.start();
const adapter = platform === 'fastify' ? new FastifyAdapter() : new ExpressAdapter();
const app: INestApplication = await NestFactory.create(AppModule, adapter, { logger: ['error', 'warn'] });
configure?.(app);
try {
  await app.listen(0, '127.0.0.1');
  const origin = await app.getUrl();
  const url = `${origin}${prefix}`;
  const admin = (path: string, init: RequestInit = {}) =>
    fetch(`${url}/admin/eventbus${path}`, {
      ...init,
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, ...(init.body ? { 'content-type': 'application/json' } : {}) },
    });
  const settings = { tenantId: TENANT_ID, url: receiver.url, subscribedTypes: ['order.placed.v1'], isExternal: false };
  const created = await admin('/endpoints', { method: 'POST', body: JSON.stringify(settings) });
  assert.equal(created.status, 201, await created.clone().text());
  const { endpointId } = (await created.json()) as { endpointId: string };

  const { eventId } = await app.get(Orders).place('order-1');
  const [webhook] = await receiver.receives(1);
  assert.equal(webhook!.headers['webhook-id'], eventId);
  await waitFor(() => app.get(Orders).handled.includes('order-1'), 'the handler');
  await waitFor(async () => {
    const listed = await admin(`/deliveries?endpointId=${endpointId}`);
    const { items } = (await listed.json()) as { items: { status: string }[] };
    return items[0]?.status === 'DELIVERED';
  }, 'the delivery in the admin API');

  const ready = await fetch(`${url}/health/ready`);
  assert.equal(ready.status, 200, await ready.clone().text());
  const { details } = (await ready.json()) as { details: Record<string, unknown> };
  assert.deepEqual(Object.keys(details).sort(), ['backlog', 'database', 'migrations', 'workers']);
  assert.match(
    await (await fetch(`${url}/metrics`)).text(),
    /^outbox_published_total\{service="kernel-eventbus"\} [12]$/m,
  );
  const page = await (await fetch(`${origin}/console`)).text();
  assert.match(page, new RegExp(`data-admin-path="${prefix}/admin/eventbus"`));
} finally {
  await app.close();
  await receiver.stop();
}
