import { randomUUID } from 'node:crypto';
import { EventHandler, OutboxService, withEventBus, type HandledEvent } from '@kernel/eventbus';
import { EventBusAdminModule } from '@kernel/eventbus-admin';
import { EventBusHealthModule, EventBusMetricsModule } from '@kernel/eventbus-ops';
import { WebhookReceiver, waitFor } from '@kernel/eventbus/testing';
import { getMikroORMToken, MikroOrmModule, type MikroOrmModuleOptions } from '@mikro-orm/nestjs';
import { MikroORM, PostgreSqlDriver } from '@mikro-orm/postgresql';
import { Injectable, type INestApplication } from '@nestjs/common';
import request from 'supertest';
import { createEmptyDatabase, type EmptyDatabase } from '../migrations/empty-database.js';
import { InvoiceEntity } from './invoice.js';
import { startHost } from './start-host.js';

const TOKEN = 'operator-token-for-tests';
const TENANT = randomUUID();
const TYPE = 'invoice.created.v1';

@Injectable()
class Handled {
  readonly ids: string[] = [];

  @EventHandler({ name: 'handled', types: [TYPE] })
  handle({ eventId }: HandledEvent): void {
    this.ids.push(eventId);
  }
}

describe('a host', () => {
  let database: EmptyDatabase;
  let receiver: WebhookReceiver;
  const running: INestApplication[] = [];
  beforeEach(async () => {
    database = await createEmptyDatabase();
    receiver = await WebhookReceiver.start();
  });
  afterEach(async () => {
    await Promise.all(running.splice(0).map((app) => app.close()));
    await receiver.stop();
    await database.drop();
  });

  async function start(options: Partial<MikroOrmModuleOptions> = {}): Promise<INestApplication> {
    const { contextName } = options;
    const app = await startHost({
      orm: MikroOrmModule.forRoot(
        withEventBus({
          driver: PostgreSqlDriver,
          clientUrl: database.url,
          entities: [InvoiceEntity],
          migrations: { migrationsList: [], silent: true },
          ...options,
        } as MikroOrmModuleOptions),
      ),
      eventBus: { migrations: 'run', adminToken: TOKEN, ...(contextName && { contextName }) },
      imports: [EventBusAdminModule, EventBusHealthModule, EventBusMetricsModule.forRoot()],
      providers: [Handled],
    });
    running.push(app);
    return app;
  }

  /** Publishes, handles, delivers, and reads it back. */
  async function use(app: INestApplication, contextName?: string): Promise<string> {
    const orm = app.get<MikroORM>(contextName ? getMikroORMToken(contextName) : MikroORM, { strict: false });
    const http = request(app.getHttpServer());
    const call = (method: 'get' | 'post', path: string) =>
      http[method](`/admin/eventbus${path}`).set('authorization', `Bearer ${TOKEN}`);
    const { body: created } = await call('post', '/endpoints')
      .send({ tenantId: TENANT, url: receiver.url, subscribedTypes: [TYPE], isExternal: false })
      .expect(201);
    const { endpointId } = created as { endpointId: string };
    const { eventId } = await orm.em
      .fork()
      .transactional((em) =>
        app
          .get(OutboxService)
          .publish({ type: TYPE, tenantId: TENANT, streamKey: 'invoice:1', payload: { total: 1 } }, { em }),
      );
    await waitFor(() => receiver.received.some(({ headers }) => headers['webhook-id'] === eventId), 'the webhook');
    await waitFor(() => app.get(Handled).ids.includes(eventId), 'the handler');
    await waitFor(async () => {
      const { body } = await call(
        'get',
        `/deliveries?endpointId=${endpointId}&eventId=${eventId}&status=DELIVERED`,
      ).expect(200);
      return (body as { items: unknown[] }).items.length === 1;
    }, 'the delivery');
    const { body: deliveries } = await call('get', `/deliveries?endpointId=${endpointId}&eventId=${eventId}`).expect(
      200,
    );
    const [{ deliveryId }] = (deliveries as { items: [{ deliveryId: string }] }).items;
    await call('get', `/deliveries/${deliveryId}`).expect(200);
    await call('get', `/endpoints/${endpointId}`).expect(200);
    await call('post', `/deliveries/${deliveryId}/replay`).send({ reason: 'again' }).expect(202);
    await call('get', `/audit?eventId=${eventId}`).expect(200);
    await call('post', '/tokens').send({ name: 'a', role: 'operator' }).expect(201);
    await call('get', '/partitions').expect(200);
    await http.get('/health/ready').expect(200);
    await http.get('/metrics').expect(200);
    return eventId;
  }

  it('with a global filter publishes, delivers and reads', async () => {
    const cond = { tenantId: randomUUID() };
    await use(await start({ filters: { tenant: { name: 'tenant', cond, default: true, strict: false } } }));
  });

  it('with named contexts only publishes, delivers and reads', async () => {
    await use(await start({ contextName: 'billing', registerRequestContext: false }), 'billing');
  });
});
