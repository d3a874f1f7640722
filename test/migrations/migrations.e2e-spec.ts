import { migrate } from '@kernel/eventbus';
import { kernelMigrations } from '@kernel/migrations';
import { readObjects } from './catalog.js';
import { createEmptyDatabase, type EmptyDatabase } from './empty-database.js';

describe('migrations', () => {
  let database: EmptyDatabase;
  beforeEach(async () => {
    database = await createEmptyDatabase();
  });
  afterEach(() => database.drop());

  const kernelObjects = async () =>
    (await readObjects(database)).filter((object) => !object.includes('mikro_orm_migrations'));

  it('go up from nothing, down to nothing, and up again to the same', async () => {
    const orm = await database.openOrm();

    await orm.migrator.up();
    const first = await kernelObjects();
    expect(first).toContain('relation kernel_outbox_event p');
    expect(first.some((object) => object.startsWith('function '))).toBe(true);

    await orm.migrator.down({ to: 0 });
    expect(await kernelObjects()).toEqual([]);

    await orm.migrator.up();
    expect(await kernelObjects()).toEqual(first);
  });

  it('are listed oldest first, each under a name of its own', async () => {
    const orm = await database.openOrm();
    const names = (await orm.migrator.getPending()).map(({ name }) => name);
    expect(names).toHaveLength(kernelMigrations.length);
    expect(names).toEqual([...new Set(names)].sort());
  });

  it('[KER-T] delete endpoints that got the events of all tenants without being handlers', async () => {
    const orm = await database.openOrm();
    await orm.migrator.up({ to: '20261116000024-readable-partitions' });
    const nil = '00000000-0000-0000-0000-000000000000';
    await database.query(
      `insert into kernel_webhook_endpoint (endpoint_id, tenant_id, url, subscribed_types, signing_secret_alias, dispatcher)
       values (gen_random_uuid(), $1, 'handler:book', '{t.v1}', 'none', 'handler'),
         (gen_random_uuid(), $1, 'https://all.example', '{t.v1}', 'all', null),
         (gen_random_uuid(), gen_random_uuid(), 'https://one.example', '{t.v1}', 'one', null)`,
      [nil],
    );
    await orm.migrator.up();
    const rows = await database.query<{ url: string }>(
      'select url, tenant_id = $1 as for_all, deleted_at is not null as is_deleted from kernel_webhook_endpoint order by url',
      [nil],
    );
    expect(rows).toEqual([
      { url: 'handler:book', for_all: true, is_deleted: false },
      { url: 'https://all.example', for_all: false, is_deleted: true },
      { url: 'https://one.example', for_all: false, is_deleted: false },
    ]);
  });

  it('[KER-6] find out which urls an operator or the host set, by the ledger and else by the tokens of the tenant', async () => {
    const orm = await database.openOrm();
    await orm.migrator.up({ to: '20261116000036-unwritten-batches' });
    const [alone, served] = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002'];
    const [admin, operator] = ['00000000-0000-4000-8000-00000000000a', '00000000-0000-4000-8000-00000000000b'];
    await database.query(
      `insert into kernel_admin_token (token_id, name, role, tenant_id, token_hash, created_by, revoked_at)
       values ($1, 'admin', 'tenant-admin', $3, 'a', 'ops', now()), ($2, 'ops', 'operator', null, 'b', 'ops', null)`,
      [admin, operator, served],
    );
    const endpoints: [name: string, tenantId: string, ...set: [actor: string, url: string | null][]][] = [
      ['a tenant without tokens', alone],
      ['a tenant with one, nothing in the ledger', served],
      ['set by the host', served, ['demo', 'https://now.example']],
      ['set by the configured token', served, ['admin-token', 'https://now.example']],
      ['set by an operator', served, [`ops (${operator})`, 'https://now.example']],
      ['set by a tenant admin', served, [`admin (${admin})`, 'https://now.example']],
      ['moved by a tenant admin', served, ['demo', 'https://old.example'], [`admin (${admin})`, 'https://now.example']],
      ['moved by an operator', served, [`admin (${admin})`, 'https://old.example'], ['demo', 'https://now.example']],
      ['named by a tenant admin', served, ['demo', 'https://now.example'], [`admin (${admin})`, null]],
      ['moved past the admin API', served, [`admin (${admin})`, 'https://old.example']],
    ];
    for (const [name, tenantId, ...changes] of endpoints) {
      const [row] = await database.query<{ endpoint_id: string }>(
        `insert into kernel_webhook_endpoint (endpoint_id, tenant_id, name, url, subscribed_types, signing_secret_alias)
         values (gen_random_uuid(), $1, $2, 'https://now.example', '{t.v1}', 'one') returning endpoint_id`,
        [tenantId, name],
      );
      for (const [actor, url] of changes) {
        await database.query(
          `insert into kernel_ledger_entry (entry_id, kind, tenant_id, endpoint_id, trace_id, actor, detail)
           values (gen_random_uuid(), 'endpoint-updated', $1, $2, 'trace-0001', $3, $4)`,
          [tenantId, row!.endpoint_id, actor, { after: url === null ? { name } : { url } }],
        );
      }
    }
    await orm.migrator.up();
    const rows = await database.query<{ name: string; url_set_by_operator: boolean }>(
      'select name, url_set_by_operator from kernel_webhook_endpoint',
    );
    expect(Object.fromEntries(rows.map((row) => [row.name, row.url_set_by_operator]))).toEqual({
      'a tenant without tokens': true,
      'a tenant with one, nothing in the ledger': false,
      'set by the host': true,
      'set by the configured token': true,
      'set by an operator': true,
      'set by a tenant admin': false,
      'moved by a tenant admin': false,
      'moved by an operator': true,
      'named by a tenant admin': true,
      'moved past the admin API': false,
    });
  });

  it('are applied once when several processes start together', async () => {
    const orms = await Promise.all(Array.from({ length: 4 }, () => database.openOrm()));

    await Promise.all(orms.map((orm) => migrate(orm)));

    const applied = await database.query<{ name: string }>('select name from mikro_orm_migrations order by id');
    expect(applied).toHaveLength(kernelMigrations.length);
    expect(new Set(applied.map(({ name }) => name)).size).toBe(kernelMigrations.length);
    await expect(orms[0]!.migrator.getPending()).resolves.toEqual([]);
  });

  it('release their lock, also after a failure', async () => {
    const orm = await database.openOrm();
    await database.query('create table kernel_webhook_endpoint (in_the_way int)');
    await expect(migrate(orm)).rejects.toThrow('kernel_webhook_endpoint');

    await database.query('drop table kernel_webhook_endpoint');
    await migrate(orm);

    await expect(orm.migrator.getPending()).resolves.toEqual([]);
    const locks = await database.query(
      `select from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`,
    );
    expect(locks).toEqual([]);
  });
});
