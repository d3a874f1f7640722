import { randomUUID } from 'node:crypto';
import { EventBusAdminModule } from '@kernel/eventbus-admin';
import { kernelMigrations } from '@kernel/eventbus';
import { Migrator } from '@mikro-orm/migrations';
import { MikroORM } from '@mikro-orm/postgresql';
import pg from 'pg';
import request from 'supertest';
import { startOwnPostgres, type OwnPostgres } from '../crash/own-postgres.js';
import { startKernelApp, type KernelApp } from '@kernel/test-support/kernel-app';
import type { TestDatabase } from '@kernel/test-support/test-database';

const OPERATOR_TOKEN = 'operator-token-for-tests';
/** As documented in docs/security.md for a user who may create roles. */
const MAKE_ROLES = [
  'create role kernel_app nologin noinherit',
  'create role kernel_admin_read nologin noinherit',
  'grant kernel_admin_read to kernel_app',
  'grant kernel_app to plain_owner',
];

describe('a database whose owner may not make roles', () => {
  let postgres: OwnPostgres;
  let superuser: pg.Client;
  let owner: pg.Client;
  let orm: MikroORM;
  let kernel: KernelApp;
  const warnings: string[] = [];
  beforeAll(async () => {
    postgres = await startOwnPostgres();
    superuser = await connect(postgres.url);
    await superuser.query(`create role plain_owner login password 'for-tests'`);
    await superuser.query('create database plain owner plain_owner');
    const url = Object.assign(new URL(postgres.url), {
      username: 'plain_owner',
      password: 'for-tests',
      pathname: '/plain',
    });
    owner = await connect(url.href);
    owner.on('notice', ({ message }) => warnings.push(message ?? ''));
    orm = await MikroORM.init({
      clientUrl: url.href,
      entities: [],
      discovery: { warnWhenNoEntities: false },
      extensions: [Migrator],
      migrations: { migrationsList: kernelMigrations, snapshot: false, silent: true },
    });
    await orm.migrator.up();
    kernel = await startKernelApp({
      role: 'api',
      adminToken: OPERATOR_TOKEN,
      imports: [EventBusAdminModule],
      database: { ormOptions: { clientUrl: url.href } } as TestDatabase,
    });
  });
  afterAll(async () => {
    await kernel.close();
    await orm.close(true);
    await owner.end();
    await superuser.end();
    await postgres.stop();
  });

  const get = (token: string) =>
    request(kernel.app.getHttpServer()).get('/admin/eventbus/endpoints').set('authorization', `Bearer ${token}`);
  const tenantAdmin = async (): Promise<string> => {
    const { body } = await request(kernel.app.getHttpServer())
      .post('/admin/eventbus/tokens')
      .set('authorization', `Bearer ${OPERATOR_TOKEN}`)
      .send({ name: 'acme', role: 'tenant-admin', tenantId: randomUUID() })
      .expect(201);
    return body.token as string;
  };

  it('is migrated all the same, and says what is missing and where to read on', async () => {
    expect(await orm.migrator.getPending()).toEqual([]);
    const { rows } = await owner.query('select kernel_grant_rights() as granted');
    expect(rows).toEqual([{ granted: false }]);
    expect(warnings).toEqual([expect.stringContaining('plain_owner may not make them')]);
  });

  it('[KER-T] serves operators, and refuses tenant admins, whom nothing would hold to their tenant', async () => {
    await get(OPERATOR_TOKEN).expect(200);
    const { body } = await get(await tenantAdmin()).expect(503);
    expect(body).toMatchObject({
      type: 'urn:kernel:problem:database-roles-missing',
      detail: expect.stringContaining('docs/security.md'),
    });
  });

  it('serves both once somebody made the roles and the owner granted the rights', async () => {
    for (const statement of MAKE_ROLES) {
      await superuser.query(statement);
    }
    const { rows } = await owner.query('select kernel_grant_rights() as granted');
    expect(rows).toEqual([{ granted: true }]);
    await get(await tenantAdmin()).expect(200);
    await owner.query('set role kernel_app');
    await expect(owner.query('delete from kernel_ledger_entry')).rejects.toMatchObject({ code: '42501' });
  });
});

async function connect(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  return client;
}
