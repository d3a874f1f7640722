import pg from 'pg';
import { createEmptyDatabase } from './empty-database.js';
import { createTestDatabase, type TestDatabase } from '@kernel/test-support/test-database';

const OWNER = 'kernel_test_owner';
const FROM = '01942000-0000-0000-0000-000000000000';
const TO = '01943000-0000-0000-0000-000000000000';
const PARTITION = 'kernel_outbox_event_p20250101_00';

/** Each fits a call in the kernel's functions better than PostgreSQL's own, which needs a cast. */
const HOSTILE_FUNCTIONS = [
  ['pg_try_advisory_xact_lock(int)', 'boolean', 'true'],
  ['format(text, text)', 'text', 'pg_catalog.format($1, $2)'],
  ['format(text, name)', 'text', 'pg_catalog.format($1, $2)'],
  ['format(text, text, uuid, uuid)', 'text', 'pg_catalog.format($1, $2, $3, $4)'],
  ['format(text, text, text)', 'text', 'pg_catalog.format($1, $2, $3)'],
  ['starts_with(name, text)', 'boolean', 'pg_catalog.starts_with($1::text, $2)'],
  ['to_timestamp(numeric)', 'timestamptz', 'pg_catalog.to_timestamp($1::float8)'],
  ['kernel_time_of_id(text)', 'timestamptz', `'-infinity'::timestamptz`],
  ['pg_has_role(text, text, text)', 'boolean', 'true'],
] as const;

/** PostgreSQL's own have the same name: these are found first if the schema precedes `pg_catalog`. */
const HOSTILE_OPERATORS = [
  ['=', 'text', 'name', '$1 operator(pg_catalog.=) $2::text'],
  ['=', 'name', 'text', '$1::text operator(pg_catalog.=) $2'],
  ['=', 'oid', 'regclass', '$1 operator(pg_catalog.=) $2::oid'],
  ['=', 'oid', 'regnamespace', '$1 operator(pg_catalog.=) $2::oid'],
  ['>', 'timestamptz', 'timestamptz', 'pg_catalog.timestamptz_gt($1, $2)'],
  ['-', 'timestamptz', 'interval', '$1'],
  ['<>', 'text', 'text', 'false'],
  ['/', 'bigint', 'numeric', '0::numeric'],
] as const;

describe('the functions that run as their owner, while the app may create in the schema', () => {
  let database: TestDatabase;
  let app: pg.Client;
  beforeAll(async () => {
    database = await createTestDatabase();
    await database.query('grant create on schema public to kernel_test_app');
    app = new pg.Client({ connectionString: database.appUrl });
    await app.connect();
    await app.query('create table ran (body text, as_role text)');
    await app.query('grant all on ran to public');
    let count = 0;
    const define = (signature: string, returns: string, result: string) =>
      app.query(`
        create function ${signature} returns ${returns} language plpgsql as $$
        begin
          insert into public.ran values (${pg.escapeLiteral(signature)}, current_user);
          return ${result};
        end $$`);
    for (const [signature, returns, result] of HOSTILE_FUNCTIONS) {
      await define(signature, returns, result);
    }
    for (const [name, left, right, result] of HOSTILE_OPERATORS) {
      const body = `hostile_${++count}`;
      const returns = name === '-' ? 'timestamptz' : name === '/' ? 'numeric' : 'boolean';
      await define(`${body}(${left}, ${right})`, returns, result);
      await app.query(`create operator ${name} (leftarg = ${left}, rightarg = ${right}, function = ${body})`);
    }
  });
  afterAll(async () => {
    await app.end();
    await database.drop();
  });

  const ranAsOwner = () => database.query(`select distinct body from ran where as_role <> 'kernel_test_app'`);

  it.each(['', 'set search_path = public, pg_catalog'])(
    'run nothing that the app defined there; %s',
    async (before) => {
      await app.query(`${before}; truncate ran`);
      await app.query(
        `select outcome from kernel_make_outbox_partition('${PARTITION}', '${FROM}', '${TO}', 10, false)`,
      );
      await app.query(
        `insert into kernel_outbox_event
         (event_id, tenant_id, stream_key, type, occurred_at, trace_id, payload_jsonb, payload_hash, status)
       values (gen_random_uuid(), gen_random_uuid(), 's', 't.v1', now(), 'trace-0001', '{}', 'hash', 'PUBLISHED')`,
      );
      await database.query(
        `begin; set local session_replication_role = replica; set local search_path = pg_catalog;
       update public.kernel_outbox_event set created_at = now() - interval '2 days'; commit`,
      );
      const { rows: pruned } = await app.query(
        `select pruned from kernel_prune_default_partition('infinity', '-infinity', '${FROM}', 10)`,
      );
      expect(pruned).toEqual([{ pruned: 1 }]);
      const { rows: dropped } = await app.query(
        `select kernel_drop_outbox_partition('${PARTITION}', 'infinity') as outcome`,
      );
      expect(dropped).toEqual([{ outcome: 'dropped' }]);
      expect(await ranAsOwner()).toEqual([]);
      await app.query('reset search_path');
    },
  );

  it('run nothing of it when the owner grants the rights anew', async () => {
    await app.query('truncate ran');
    await database.query(`begin; set local role ${OWNER}; select kernel_grant_rights(); commit`);
    expect(await ranAsOwner()).toEqual([]);
  });
});

it('the migrations take the right to create in the schema from everybody', async () => {
  const database = await createEmptyDatabase();
  try {
    await database.query('grant create on schema public to public');
    const orm = await database.openOrm();
    await orm.migrator.up();
    const [right] = await database.query(
      `select has_schema_privilege('kernel_app', 'public', 'create') as "mayCreate"`,
    );
    expect(right).toEqual({ mayCreate: false });
  } finally {
    await database.drop();
  }
});
