import { randomUUID } from 'node:crypto';
import {
  eventBusEntities,
  EventBusModule,
  kernelMigrations,
  OutboxService,
  type EventBusOptions,
} from '@kernel/eventbus';
import { PostgresSecretVault } from '@kernel/secrets';
import { defineEntity, p } from '@mikro-orm/core';
import { Migrator } from '@mikro-orm/migrations';
import { MikroOrmModule } from '@mikro-orm/nestjs';
import { MikroORM, PostgreSqlDriver, type EntityManager } from '@mikro-orm/postgresql';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ScheduleModule } from '@nestjs/schedule';
import pg from 'pg';
import { TENANT_ID } from '../webhook/event.ts';

const MASTER_KEY = Buffer.alloc(32, 'bench').toString('base64');

/** The domain's own row: every measured transaction inserts one. */
export const BenchRow = defineEntity({
  name: 'BenchRow',
  tableName: 'bench_row',
  properties: { id: p.uuid().primary(), note: p.text() },
});

class BenchApp {}

/** The kernel in its own Nest application, silent, allowed to send to loopback, with its production rights. */
export class KernelApp {
  readonly #app: INestApplicationContext;
  readonly #databaseUrl: string;
  readonly em: EntityManager;
  readonly outbox: OutboxService;

  private constructor(app: INestApplicationContext, databaseUrl: string) {
    this.#app = app;
    this.#databaseUrl = databaseUrl;
    this.em = app.get<MikroORM>(MikroORM).em;
    this.outbox = app.get(OutboxService);
  }

  static async start(databaseUrl: string, options: Partial<EventBusOptions>): Promise<KernelApp> {
    const app = await NestFactory.createApplicationContext(
      {
        module: BenchApp,
        imports: [
          MikroOrmModule.forRoot({
            clientUrl: databaseUrl,
            driver: PostgreSqlDriver,
            entities: [...eventBusEntities, BenchRow],
            pool: { max: 16 },
            driverOptions: { options: '-c role=kernel_app' },
          }),
          ScheduleModule.forRoot(),
          EventBusModule.forRoot({
            masterKey: MASTER_KEY,
            allowHttp: true,
            allowedCidrs: ['127.0.0.0/8'],
            ...options,
          }),
        ],
      },
      { logger: false, abortOnError: false },
    );
    return new KernelApp(app, databaseUrl);
  }

  async addEndpoint(endpoint: BenchEndpoint): Promise<void> {
    const alias = `endpoint-${randomUUID()}`;
    await this.#app.get(PostgresSecretVault).put({ tenantId: TENANT_ID, alias, value: endpoint.secret });
    await this.em.fork().execute(
      `insert into kernel_webhook_endpoint
         (endpoint_id, tenant_id, url, operator_url, subscribed_types, signing_secret_alias, is_external, ordering)
       values (?, ?, ?, ?, array[?]::text[], ?, false, ?)`,
      [randomUUID(), TENANT_ID, endpoint.url, endpoint.url, endpoint.type, alias, endpoint.ordering ?? 'none'],
    );
  }

  async query<Row extends object>(statement: string, values: unknown[] = []): Promise<Row[]> {
    return this.em.fork().execute<Row[]>(statement, values);
  }

  /** Runs as the owner of the tables, the only role that may vacuum them. */
  async vacuum(): Promise<void> {
    const owner = new pg.Client({ connectionString: this.#databaseUrl });
    await owner.connect();
    await owner.query('vacuum (analyze)');
    await owner.end();
  }

  close(): Promise<void> {
    return this.#app.close();
  }
}

export interface BenchEndpoint {
  url: string;
  secret: string;
  type: string;
  ordering?: 'none' | 'stream';
}

export async function migrateKernel(databaseUrl: string): Promise<void> {
  const orm = await MikroORM.init({
    clientUrl: databaseUrl,
    entities: [],
    discovery: { warnWhenNoEntities: false },
    extensions: [Migrator],
    migrations: { migrationsList: kernelMigrations, snapshot: false, silent: true },
  });
  await orm.migrator.up();
  await orm.em.execute('create table if not exists bench_row (id uuid primary key, note text not null)');
  await orm.em.execute('grant select, insert on bench_row to kernel_app');
  await orm.close(true);
}
