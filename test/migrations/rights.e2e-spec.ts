import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { createTestDatabase, type TestDatabase } from '@kernel/test-support/test-database';
import { readColumns } from './catalog.js';

const PERMISSION_DENIED = { code: '42501' };
const MUTABLE = ['status', 'published_at'];
/** Tables with a row of each of two tenants. */
const READ_BY_ADMINS = [
  'kernel_outbox_event',
  'kernel_ledger_entry',
  'kernel_webhook_endpoint',
  'kernel_webhook_delivery',
  'kernel_lane',
  'kernel_privacy_policy',
  'kernel_endpoint_circuit',
  'kernel_activity',
];

describe('the rights of the database roles', () => {
  const [own, foreign] = [randomUUID(), randomUUID()];
  let database: TestDatabase;
  let app: pg.Client;
  beforeAll(async () => {
    database = await createTestDatabase();
    app = new pg.Client({ connectionString: database.appUrl });
    await app.connect();
    for (const tenantId of [own, foreign]) {
      await app.query(rowsOf(tenantId));
    }
  });
  afterAll(async () => {
    await app.end();
    await database.drop();
  });

  /** In a transaction that is rolled back, as the admin API reads. */
  async function asAdmin<T>(tenantId: string | undefined, work: () => Promise<T>): Promise<T> {
    await app.query('begin');
    try {
      await app.query(`select set_config('kernel.tenant_id', $1, true)`, [tenantId ?? '']);
      await app.query('set local role kernel_admin_read');
      return await work();
    } finally {
      await app.query('rollback');
    }
  }

  it('the app is neither superuser nor owner of anything', async () => {
    const { rows } = await app.query(
      `select rolsuper or rolcreaterole or rolcreatedb or rolbypassrls as powerful,
         (select count(*)::int from pg_class where pg_has_role(relowner, 'usage')) as owned
       from pg_roles where rolname = current_user`,
    );
    expect(rows).toEqual([{ powerful: false, owned: 0 }]);
  });

  it('every table of the kernel can be read by the app', async () => {
    const rows = await database.query<{ name: string; readable: boolean }>(
      `select relname as name, has_table_privilege('kernel_app', oid, 'select') as readable from pg_class
       where relkind in ('r', 'p') and starts_with(relname, 'kernel_')`,
    );
    expect(rows.length).toBeGreaterThan(10);
    expect(rows.filter(({ readable }) => !readable)).toEqual([]);
  });

  it('[KFM-10] the app may write no column of an envelope that exists', async () => {
    const columns = Object.keys(await readColumns(database, 'kernel_outbox_event'));
    expect(columns).toContain('payload_jsonb');
    for (const column of columns) {
      const attempt = app.query(`update kernel_outbox_event set ${column} = ${column}`);
      await (MUTABLE.includes(column)
        ? expect(attempt).resolves.toMatchObject({ rowCount: 2 })
        : expect(attempt).rejects.toMatchObject(PERMISSION_DENIED));
    }
  });

  it.each([
    'delete from kernel_outbox_event',
    'truncate kernel_outbox_event',
    'drop table kernel_outbox_event',
    'alter table kernel_outbox_event disable trigger all',
    'alter table kernel_outbox_event disable row level security',
    'delete from kernel_outbox_event_default',
    `update kernel_outbox_event_default set status = 'PUBLISHED'`,
    `insert into kernel_outbox_event_default select * from kernel_outbox_event`,
    `update kernel_ledger_entry set actor = 'nobody'`,
    'delete from kernel_ledger_entry',
    'truncate kernel_ledger_entry',
    'select from kernel_ledger_entry for update',
    'alter table kernel_ledger_entry disable trigger all',
    `update kernel_privacy_policy set rules = '[]'`,
    'delete from kernel_privacy_policy',
    'delete from kernel_webhook_endpoint',
    `update kernel_admin_token set role = 'operator'`,
    'delete from kernel_admin_token',
    'create table intruder (id int)',
    'create role intruder',
    'set role kernel_test_owner',
    `select kernel_drop_any_outbox_partition('kernel_outbox_event_p20200101_00', now())`,
    `select kernel_make_any_outbox_partition('kernel_outbox_event_p20200101_00', gen_random_uuid(), gen_random_uuid(), 0, false)`,
    `select kernel_make_bare_outbox_partition('kernel_outbox_event_p20200101_00', gen_random_uuid(), gen_random_uuid(), 0, false)`,
    `create or replace function kernel_least_event_age() returns interval language sql stable as 'select interval ''0'''`,
    `alter function kernel_least_event_age() rename to intruder`,
  ])('[KFM-10] [KER-1] the app may not: %s', async (statement) => {
    await expect(app.query(statement)).rejects.toMatchObject(PERMISSION_DENIED);
  });

  it('[ADR-12] the app makes partitions through a function that runs as their owner', async () => {
    const { rows } = await app.query(
      `select outcome from kernel_make_outbox_partition('kernel_outbox_event_p20200101_00',
         '016f0000-0000-0000-0000-000000000000', '016f1000-0000-0000-0000-000000000000', 0, false)`,
    );
    expect(rows).toEqual([{ outcome: 'made' }]);
    const { rows: rights } = await app.query(
      `select has_table_privilege('kernel_outbox_event_p20200101_00', 'select') as "mayRead",
         has_table_privilege('kernel_outbox_event_p20200101_00', 'insert, update, delete, truncate') as "mayWrite"`,
    );
    expect(rights).toEqual([{ mayRead: true, mayWrite: false }]);
  });

  it('functions that run as their owner have a search path that nobody can slip anything into', async () => {
    const functions = await database.query<{ settings: string[] }>(
      'select proconfig as settings from pg_proc where prosecdef and pronamespace = current_schema()::regnamespace',
    );
    expect(functions.length).toBeGreaterThanOrEqual(2);
    for (const { settings } of functions) {
      expect(settings).toContain('search_path=pg_catalog, pg_temp');
    }
  });

  describe.each(READ_BY_ADMINS)('%s', (table) => {
    const tenants = async () => (await app.query(`select tenant_id from ${table}`)).rows;

    it('[KER-T] without a tenant filter shows the admin role the rows of its tenant alone', async () => {
      expect(await asAdmin(own, tenants)).toEqual([{ tenant_id: own }]);
      expect(await asAdmin(foreign, tenants)).toEqual([{ tenant_id: foreign }]);
      expect(await tenants()).toHaveLength(2);
    });

    it('[KER-T] shows it nothing where no tenant was set, or one that does not exist', async () => {
      expect(await asAdmin(undefined, tenants)).toEqual([]);
      expect(await asAdmin(randomUUID(), tenants)).toEqual([]);
    });

    it.each(['insert into $ default values', 'update $ set tenant_id = tenant_id', 'delete from $', 'truncate $'])(
      '[KER-T] cannot be changed by it: %s',
      async (statement) => {
        const attempt = asAdmin(own, () => app.query(statement.replace('$', table)));
        await expect(attempt).rejects.toMatchObject(PERMISSION_DENIED);
      },
    );
  });

  it('[KER-T] the admin role reads no secret, no token and no partition past the policies', async () => {
    for (const table of [
      'kernel_secret_version',
      'kernel_master_key',
      'kernel_admin_token',
      'kernel_outbox_event_default',
    ]) {
      const attempt = asAdmin(own, () => app.query(`select from ${table}`));
      await expect(attempt).rejects.toMatchObject(PERMISSION_DENIED);
    }
  });

  it('the hot path pays nothing for it: with much behind it, the app plans and estimates as the owner does', async () => {
    await database.query(
      `insert into kernel_webhook_delivery (delivery_id, tenant_id, endpoint_id, event_id, event_type, trace_id, status,
         next_attempt_at, dispatched_at)
       select gen_random_uuid(), '${own}', '${own}', gen_random_uuid(), 't.v1', 'trace-0001',
         case when n % 50 = 0 then 'PENDING' else 'DELIVERED' end, now() + n * interval '1 second', now()
       from generate_series(1, 20000) as n`,
    );
    await database.query('vacuum analyze kernel_webhook_delivery');
    const statements = [
      `select * from kernel_webhook_delivery where tenant_id = '${own}' and endpoint_id = '${own}' and status = 'PENDING'
         and not is_parked and lane_id is null and not is_suspect and next_attempt_at <= now() + interval '1 hour'
       order by next_attempt_at limit 64 for update skip locked`,
      `select * from kernel_webhook_delivery d join kernel_webhook_endpoint using (endpoint_id)
       where d.status in ('PENDING', 'FAILED') and d.next_attempt_at <= now()`,
      `update kernel_webhook_delivery set attempts = 1 where delivery_id = any('{${own}}') and leased_by = 'w' and lease_epoch = 1`,
      `select * from kernel_outbox_event where tenant_id = '${own}' and status = 'PENDING' order by created_at for update`,
      `insert into kernel_ledger_entry (entry_id, kind, trace_id, actor) values ('${own}', 'published', 't', 'a')`,
    ];
    for (const statement of statements) {
      const explain = `explain ${statement}`;
      expect((await app.query(explain)).rows).toEqual(await database.query(explain));
    }
  });
});

function rowsOf(tenantId: string): string {
  const [id, tenant] = [`'${randomUUID()}'`, `'${tenantId}'`];
  return `
    insert into kernel_outbox_event
      (event_id, tenant_id, stream_key, type, occurred_at, trace_id, payload_jsonb, payload_hash)
      values (${id}, ${tenant}, 's', 't.v1', now(), 'trace-0001', '{}', 'hash');
    insert into kernel_ledger_entry (entry_id, kind, tenant_id, trace_id, actor)
      values (${id}, 'published', ${tenant}, 'trace-0001', 'test');
    insert into kernel_webhook_endpoint (endpoint_id, tenant_id, url, subscribed_types, signing_secret_alias)
      values (${id}, ${tenant}, 'https://example.com', '{t.v1}', 'alias');
    insert into kernel_webhook_delivery (delivery_id, tenant_id, endpoint_id, event_id, event_type, trace_id, dispatched_at)
      values (${id}, ${tenant}, ${id}, ${id}, 't.v1', 'trace-0001', now());
    insert into kernel_lane (lane_id, tenant_id, endpoint_id, stream_key, last_sequence) values (${id}, ${tenant}, ${id}, 's', 1);
    insert into kernel_privacy_policy (policy_id, tenant_id, event_type, version, rules, created_by)
      values (${id}, ${tenant}, 't.v1', 1, '[]', 'test');
    insert into kernel_endpoint_circuit (endpoint_id, tenant_id, probe_at) values (${id}, ${tenant}, now());
    insert into kernel_activity values (${tenant}, ${id}, 60, now(), 1, 0, 0, 0, '{}');
  `;
}
