import { randomBytes, randomUUID } from 'node:crypto';
import {
  EventBusModule,
  eventBusEntities,
  OutboxService,
  type EventBusOptions,
  type Subscription,
} from '@kernel/eventbus';
import { PostgresSecretVault } from '@kernel/secrets';
import { MikroOrmModule } from '@mikro-orm/nestjs';
import { type EntityManager, MikroORM, PostgreSqlDriver } from '@mikro-orm/postgresql';
import type { INestApplication, ModuleMetadata, NestApplicationOptions } from '@nestjs/common';
import type { AbstractHttpAdapter } from '@nestjs/core';
import { Test, type TestingModuleBuilder } from '@nestjs/testing';
import { v7 as uuidv7 } from 'uuid';
import { createTestDatabase, type TestDatabase } from './test-database.js';

export interface KernelApp {
  app: INestApplication;
  orm: MikroORM;
  em: EntityManager;
  outbox: OutboxService;
  database: TestDatabase;
  /** Registers an endpoint with its own secret, bypassing the admin API. */
  addEndpoint(options: NewEndpoint): Promise<TestEndpoint>;
  close(): Promise<void>;
}

export interface NewEndpoint {
  tenantId: string;
  url: string;
  types: string[];
  isExternal?: boolean;
  isEnabled?: boolean;
  ordering?: 'none' | 'stream';
  onDeadLetter?: 'block' | 'skip';
  maxInFlight?: number;
  subscriptions?: Subscription[];
}

export interface TestEndpoint {
  endpointId: string;
  secret: string;
}

export interface KernelAppOptions extends Partial<EventBusOptions> {
  imports?: ModuleMetadata['imports'];
  providers?: ModuleMetadata['providers'];
  entities?: unknown[];
  /** Joins an existing database, as a second process would. */
  database?: TestDatabase;
  adapt?: (builder: TestingModuleBuilder) => TestingModuleBuilder;
  nest?: NestApplicationOptions;
  /** Default: Express. */
  adapter?: AbstractHttpAdapter;
  configure?: (app: INestApplication) => void;
}

export const TEST_MASTER_KEY = randomBytes(32).toString('base64');

/** A Nest app with the kernel, on its own database, that may send to loopback and retries fast. */
export async function startKernelApp(options: KernelAppOptions = {}): Promise<KernelApp> {
  const {
    imports = [],
    providers = [],
    entities = [],
    database: joined,
    adapt,
    nest,
    adapter,
    configure,
    ...eventBus
  } = options;
  const database = joined ?? (await createTestDatabase());
  const builder = Test.createTestingModule({
    imports: [
      MikroOrmModule.forRoot({
        ...database.ormOptions,
        driver: PostgreSqlDriver,
        entities: [...eventBusEntities, ...entities] as never,
        registerRequestContext: true,
      }),
      EventBusModule.forRoot({
        masterKey: TEST_MASTER_KEY,
        allowHttp: true,
        allowedCidrs: ['127.0.0.0/8'],
        // Nothing listens there: a test whose endpoints have host names starts its own server.
        dns: { servers: ['127.0.0.1:1'] },
        retry: { initialDelayMs: 20, maxDelayMs: 100 },
        polling: { minIntervalMs: 20, maxIntervalMs: 50 },
        ...eventBus,
      }),
      ...imports,
    ],
    providers,
  });
  const module = await (adapt?.(builder) ?? builder).compile();
  const settings: NestApplicationOptions = { logger: ['fatal'], ...nest };
  const app = adapter ? module.createNestApplication(adapter, settings) : module.createNestApplication(settings);
  configure?.(app);
  const orm = app.get<MikroORM>(MikroORM);
  try {
    await app.init();
  } catch (error) {
    // Other modules may still query the database, so the pool cannot be closed: dropping the database ends its
    // connections.
    await (joined ? undefined : database.drop());
    throw error;
  }
  return {
    app,
    orm,
    em: orm.em,
    outbox: app.get(OutboxService),
    database,
    addEndpoint: (endpoint) => addEndpoint(app, database, endpoint),
    close: async () => {
      await app.close();
      if (!joined) {
        await database.drop();
      }
    },
  };
}

async function addEndpoint(
  app: INestApplication,
  database: TestDatabase,
  endpoint: NewEndpoint,
): Promise<TestEndpoint> {
  const endpointId = uuidv7();
  const alias = `endpoint-${randomUUID()}`;
  const { value } = await app.get(PostgresSecretVault).put({ tenantId: endpoint.tenantId, alias });
  await database.query(
    `insert into kernel_webhook_endpoint
       (endpoint_id, tenant_id, url, subscribed_types, signing_secret_alias, is_external, is_enabled,
        ordering, on_dead_letter, max_in_flight, subscriptions, operator_url)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $3)`,
    [
      endpointId,
      endpoint.tenantId,
      endpoint.url,
      endpoint.types,
      alias,
      endpoint.isExternal ?? false,
      endpoint.isEnabled ?? true,
      endpoint.ordering ?? 'none',
      endpoint.onDeadLetter ?? 'block',
      endpoint.maxInFlight ?? null,
      JSON.stringify(endpoint.subscriptions ?? []),
    ],
  );
  return { endpointId, secret: value.reveal() };
}
