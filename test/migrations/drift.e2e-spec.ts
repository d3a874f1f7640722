import { eventBusEntities } from '@kernel/eventbus';
import { MikroORM } from '@mikro-orm/postgresql';
import { createTestDatabase, type TestDatabase } from '@kernel/test-support/test-database';

/**
 * SQL that would bring the database in line with the entities. Triggers, functions and policies are managed by the
 * migrations alone.
 */
async function findDrift(database: TestDatabase): Promise<string> {
  const orm = await MikroORM.init({
    clientUrl: database.url,
    entities: eventBusEntities,
    schemaGenerator: { ignoreTriggers: true, ignoreRoutines: true, ignorePolicies: true },
  });
  try {
    return await orm.schema.getUpdateSchemaSQL({ wrap: false });
  } finally {
    await orm.close(true);
  }
}

describe('migration drift', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createTestDatabase();
  });
  afterEach(() => database.drop());

  it('there is none: entities and migrated tables agree', async () => {
    expect(await findDrift(database)).toBe('');
  });

  it('partitions that are made later are none either', async () => {
    const [made] = await database.query<{ outcome: string }>(
      `select outcome from kernel_make_outbox_partition('kernel_outbox_event_p20261116_00',
         '019a0000-0000-0000-0000-000000000000', '019b0000-0000-0000-0000-000000000000', 0, false)`,
    );
    expect(made).toEqual({ outcome: 'made' });
    expect(await findDrift(database)).toBe('');
  });

  it.each([
    [
      'a column that only the entity has',
      'alter table kernel_outbox_event drop column published_at',
      'add "published_at"',
    ],
    [
      'a column that only the table has',
      'alter table kernel_webhook_endpoint add surplus text',
      'drop column "surplus"',
    ],
    ['another type', 'alter table kernel_webhook_delivery alter attempts type bigint', '"attempts" type int'],
    ['another nullability', 'alter table kernel_ledger_entry alter trace_id drop not null', '"trace_id" set not null'],
    [
      'another default',
      'alter table kernel_webhook_endpoint alter is_external drop default',
      '"is_external" set default',
    ],
    ['a missing index', 'drop index kernel_outbox_event_status_idx', 'create index "kernel_outbox_event_status_idx"'],
    ['a surplus index', 'create index surplus_idx on kernel_admin_token (name)', 'drop index "surplus_idx"'],
    ['a missing check', 'alter table kernel_admin_token drop constraint kernel_admin_token_scope_check', 'scope_check'],
    [
      'a table without an entity',
      'create table kernel_surplus (id uuid primary key)',
      'drop table if exists "kernel_surplus"',
    ],
    ['a missing table', 'drop table kernel_privacy_policy', 'create table "kernel_privacy_policy"'],
  ])('would show %s', async (_what, change, report) => {
    await database.query(change);
    expect(await findDrift(database)).toContain(report);
  });
});
