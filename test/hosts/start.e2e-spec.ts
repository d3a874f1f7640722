import { eventBusEntities, kernelMigrations, migrate, withEventBus } from '@kernel/eventbus';
import { MikroOrmModule } from '@mikro-orm/nestjs';
import { MikroORM, PostgreSqlDriver } from '@mikro-orm/postgresql';
import type { INestApplication } from '@nestjs/common';
import { createTestDatabase } from '@kernel/test-support/test-database';
import { createEmptyDatabase, type EmptyDatabase } from '../migrations/empty-database.js';
import { InvoiceEntity, InvoiceMigration } from './invoice.js';
import { startHost } from './start-host.js';

const hostOptions = (clientUrl: string) =>
  withEventBus({
    driver: PostgreSqlDriver,
    clientUrl,
    entities: [InvoiceEntity],
    migrations: { migrationsList: [InvoiceMigration], silent: true },
  });

describe('the start of a host', () => {
  let database: EmptyDatabase;
  const running: INestApplication[] = [];
  beforeEach(async () => {
    database = await createEmptyDatabase();
  });
  afterEach(async () => {
    await Promise.all(running.splice(0).map((app) => app.close()));
    await database.drop();
  });

  const start = async (eventBus: Parameters<typeof startHost>[0]['eventBus'], options = hostOptions(database.url)) => {
    const app = await startHost({ orm: MikroOrmModule.forRoot(options), eventBus });
    running.push(app);
    return app;
  };

  it("with migrations: 'run', several processes at once create the tables of kernel and host", async () => {
    await Promise.all([1, 2, 3].map(() => start({ migrations: 'run' })));
    const applied = await database.query('select from mikro_orm_migrations');
    expect(applied).toHaveLength(kernelMigrations.length + 1);
    expect(await database.query('select from host_invoice')).toEqual([]);
  });

  it('by default stops in one line that names the missing migrations and the fix', async () => {
    await expect(start({})).rejects.toThrow(
      new RegExp(
        `^the database misses ${kernelMigrations.length} migrations of the kernel \\(20261116000001-outbox to .+\\): run migrate\\(orm\\).+migrations: 'run'.+$`,
      ),
    );
    const orm = await MikroORM.init(hostOptions(database.url));
    await migrate(orm);
    await orm.close(true);
    await start({});

    const Last = kernelMigrations.at(-1)!;
    const last = new Last(undefined as never, undefined as never).name;
    await database.query('delete from mikro_orm_migrations where name = $1', [last]);
    await expect(start({})).rejects.toThrow(`the database misses a migration of the kernel (${last})`);
  });

  it("with migrations: 'run' and a user that may not, says so", async () => {
    const migrated = await createTestDatabase();
    await migrated.query('delete from mikro_orm_migrations where name like $1', ['20261119%']);
    await expect(start({ migrations: 'run' }, hostOptions(migrated.appUrl))).rejects.toMatchObject({
      code: 'EVENTBUS_MIGRATIONS_REFUSED',
    });
    await migrated.drop();
  });

  it('stops if MikroORM does not know the entities of the kernel', async () => {
    const entities = eventBusEntities.slice(1);
    const options = { ...hostOptions(database.url), entities };
    await expect(start({ migrations: 'run' }, options as never)).rejects.toThrow(
      /^MikroORM does not know the kernel's entities \(OutboxEvent\w*\): .*withEventBus/,
    );
  });
});
