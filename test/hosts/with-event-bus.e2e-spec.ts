import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventBusEntities, kernelMigrations, migrate, withEventBus } from '@kernel/eventbus';
import { MikroORM } from '@mikro-orm/postgresql';
import { createEmptyDatabase, type EmptyDatabase } from '../migrations/empty-database.js';
import { InvoiceEntity, InvoiceMigration } from './invoice.js';

describe('withEventBus', () => {
  let database: EmptyDatabase;
  let orm: MikroORM;
  beforeEach(async () => {
    database = await createEmptyDatabase();
  });
  afterEach(async () => {
    await orm?.close(true);
    await database.drop();
  });

  const applied = () => database.query<{ name: string }>('select name from mikro_orm_migrations order by id');

  it('adds entities and migrations; a schema diff then shows nothing of the kernel', async () => {
    const options = withEventBus({
      clientUrl: database.url,
      entities: [InvoiceEntity],
      migrations: { migrationsList: [InvoiceMigration], silent: true },
    });
    orm = await MikroORM.init(options);
    await orm.migrator.up();
    expect((await applied()).map(({ name }) => name)).toHaveLength(kernelMigrations.length + 1);
    expect(await orm.schema.getUpdateSchemaSQL({ wrap: false })).toBe('');
    expect((await orm.migrator.getPending()).map(({ name }) => name)).toEqual([]);
  });

  it('without its settings, the diff would drop policies and triggers', async () => {
    const { schemaGenerator: _, ...options } = withEventBus({
      clientUrl: database.url,
      entities: [InvoiceEntity],
      migrations: { migrationsList: [InvoiceMigration], silent: true },
      schemaGenerator: {},
    });
    orm = await MikroORM.init(options);
    await orm.migrator.up();
    expect(await orm.schema.getUpdateSchemaSQL({ wrap: false })).toMatch(
      /drop policy[^]*drop trigger|drop trigger[^]*drop policy/,
    );
  });

  it('keeps the settings of the host, and adds nothing twice', () => {
    const snapshots = withEventBus(
      withEventBus({
        entities: [InvoiceEntity, ...eventBusEntities],
        migrations: { migrationsList: [InvoiceMigration], snapshot: true, tableName: 'host_migration' },
        schemaGenerator: { ignoreTriggers: false },
      }),
    );
    expect(snapshots.entities).toHaveLength(1 + eventBusEntities.length);
    expect(snapshots.migrations).toMatchObject({ snapshot: true, tableName: 'host_migration' });
    expect(snapshots.migrations.migrationsList).toHaveLength(1 + kernelMigrations.length);
    expect(snapshots.schemaGenerator).toMatchObject({ ignoreTriggers: false, ignorePolicies: true });
  });

  it('adds the entities where Nest loads those of modules', () => {
    const loading = withEventBus({ autoLoadEntities: true });
    expect((loading as { entitiesTs?: unknown[] }).entitiesTs).toHaveLength(eventBusEntities.length);
  });

  it('beside migrations in files, migrate applies both', async () => {
    const path = await mkdtemp(join(tmpdir(), 'host-migrations-'));
    await writeFile(
      join(path, 'host-invoice.cjs'),
      `exports.HostInvoice = class {
         constructor(driver, config) { this.driver = driver; this.config = config; this.queries = []; }
         up() { this.queries.push('create table host_invoice (id int primary key, note text not null)'); }
         down() {}
         isTransactional() { return true; }
         reset() { this.queries = []; }
         setTransactionContext() {}
         getQueries() { return this.queries; }
       };`,
    );
    orm = await MikroORM.init(
      withEventBus({ clientUrl: database.url, entities: [InvoiceEntity], migrations: { path, silent: true } }),
    );
    await migrate(orm);
    await rm(path, { recursive: true });
    const names = (await applied()).map(({ name }) => name);
    expect(names).toHaveLength(kernelMigrations.length + 1);
    expect(names.at(-1)).toContain('host-invoice');
    expect(await database.query('select from kernel_outbox_event')).toEqual([]);
    expect(await database.query('select from host_invoice')).toEqual([]);
  });
});
