import { EventBusHealthModule, kernelMigrations, ProblemFilter } from '@kernel/eventbus';
import { Migrator } from '@mikro-orm/migrations';
import request from 'supertest';
import { startKernelApp, type KernelApp } from '../../../../test/support/kernel-app.js';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/test-database.js';

describe('health', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createTestDatabase();
  });

  function start(ormOptions: object = {}): Promise<KernelApp> {
    return startKernelApp({
      role: 'api',
      database: { ...database, ormOptions: { ...database.ormOptions, ...ormOptions } },
      imports: [EventBusHealthModule],
      configure: (app) => app.useGlobalFilters(new ProblemFilter()),
    });
  }
  const get = (kernel: KernelApp, path: string) => request(kernel.app.getHttpServer()).get(path);

  const withMigrator = {
    extensions: [Migrator],
    migrations: { migrationsList: kernelMigrations, snapshot: false, silent: true },
  };

  it.each([
    ['with the Migrator', withMigrator],
    ['without the Migrator', {}],
  ])('is ready when the database answers and every migration is applied, %s', async (_, ormOptions) => {
    const kernel = await start(ormOptions);
    const { body } = await get(kernel, '/health/ready')
      .expect(200)
      .expect('cache-control', /no-store/);
    expect(body).toMatchObject({
      status: 'ok',
      details: { database: { status: 'up' }, migrations: { status: 'up' } },
    });
    await get(kernel, '/health/live').expect(200);
    await kernel.close();
    await database.drop();
  });

  it('is not ready while a migration is pending, and names it', async () => {
    const kernel = await start(withMigrator);
    await database.query(`delete from mikro_orm_migrations where name like '%admin-token'`);
    const { body } = await get(kernel, '/health/ready').expect(503);
    expect(body).toMatchObject({
      status: 'error',
      error: { migrations: { status: 'down', message: 'pending: 20261116000006-admin-token' } },
      info: { database: { status: 'up' } },
    });
    await get(kernel, '/health/live').expect(200);
    await kernel.close();
    await database.drop();
  });

  it('without the Migrator is not ready while a table is missing, and names it', async () => {
    const kernel = await start();
    await database.query('drop table kernel_admin_token');
    const { body } = await get(kernel, '/health/ready').expect(503);
    expect(body.error).toMatchObject({ migrations: { status: 'down', message: 'pending: kernel_admin_token' } });
    await kernel.close();
    await database.drop();
  });

  it('is not ready, but alive, when the database is gone, and tells nothing of where it was', async () => {
    const kernel = await start();
    await database.drop();
    const { body, text } = await get(kernel, '/health/ready').expect(503);
    expect(body.error).toMatchObject({ database: { status: 'down' }, migrations: { status: 'down' } });
    expect(text).not.toContain(new URL(database.url).pathname.slice(1));
    await get(kernel, '/health/live').expect(200);
    await kernel.close();
  });
});
