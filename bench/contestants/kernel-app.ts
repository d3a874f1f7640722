import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  eventBusEntities,
  EventBusModule,
  kernelMigrations,
  OutboxService,
  type EventBusOptions,
  type Subscription,
} from '@kernel/eventbus';
import { LedgerSealer } from '@kernel/ledger';
import { PolicyStore, type PolicyRule } from '@kernel/privacy';
import { PostgresSecretVault } from '@kernel/secrets';
import { defineEntity, p } from '@mikro-orm/core';
import { Migrator } from '@mikro-orm/migrations';
import { MikroOrmModule } from '@mikro-orm/nestjs';
import { MikroORM, PostgreSqlDriver, type EntityManager } from '@mikro-orm/postgresql';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import pg from 'pg';
import { TENANT_ID } from '../webhook/event.ts';

export const MASTER_KEY = Buffer.alloc(32, 'bench').toString('base64');

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

  async addEndpoint({ url, secret, type, ...endpoint }: BenchEndpoint): Promise<void> {
    const alias = `endpoint-${randomUUID()}`;
    const tenantId = endpoint.tenantId ?? TENANT_ID;
    const subscriptions = endpoint.subscription ? [{ type, ...endpoint.subscription }] : [];
    await this.#app.get(PostgresSecretVault).put({ tenantId, alias, value: secret });
    await this.em.fork().execute(
      `insert into kernel_webhook_endpoint
         (endpoint_id, tenant_id, url, operator_url, subscribed_types, signing_secret_alias, is_external, ordering,
          subscriptions)
       values (?, ?, ?, ?, array[?]::text[], ?, ?, ?, ?::jsonb)`,
      [
        ...[randomUUID(), tenantId, url, url, type, alias, endpoint.policy !== undefined],
        ...[endpoint.ordering ?? 'none', JSON.stringify(subscriptions)],
      ],
    );
    if (endpoint.policy) {
      const rules = endpoint.policy;
      await this.#app.get(PolicyStore).put({ tenantId, eventType: type, rules, createdBy: 'bench' });
    }
  }

  async query<Row extends object>(statement: string, values: unknown[] = []): Promise<Row[]> {
    return this.em.fork().execute<Row[]>(statement, values);
  }

  /** A connection as the owner of the tables, the only role that may vacuum them. */
  async connectAsOwner(): Promise<pg.Client> {
    const owner = new pg.Client({ connectionString: this.#databaseUrl });
    await owner.connect();
    return owner;
  }

  /** Seals the ledger up to now, so that rows added to its past are not sealed while a drain is measured. */
  async sealPast(): Promise<void> {
    await this.query(
      `insert into kernel_ledger_entry (entry_id, kind, trace_id, actor) values (?, 'published', 'bench', 'kernel')`,
      [randomUUID()],
    );
    while ((await this.#app.get(LedgerSealer).seal()) === 0) {
      await delay(100);
    }
  }

  close(): Promise<void> {
    return this.#app.close();
  }
}

export interface BenchEndpoint {
  url: string;
  secret: string;
  type: string;
  /** Default: the tenant of most works. */
  tenantId?: string;
  ordering?: 'none' | 'stream';
  subscription?: Omit<Subscription, 'type'>;
  /** Makes the endpoint external. */
  policy?: PolicyRule[];
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
