import { MikroORM } from '@mikro-orm/postgresql';
import { createTestDatabase, type TestDatabase } from '@kernel/test-support/test-database';
import { privacyEntities } from './privacy-policy.entity.js';

describe('PrivacyPolicyEntity', () => {
  let database: TestDatabase;
  let orm: MikroORM;

  beforeAll(async () => {
    database = await createTestDatabase();
    orm = await MikroORM.init({
      ...database.ormOptions,
      // PostgreSQL shows the constraints of a table to its owner only.
      clientUrl: database.url,
      entities: privacyEntities,
      // Row-level security policies are managed by the migrations alone.
      schemaGenerator: { ignorePolicies: true },
    });
  });

  afterAll(async () => {
    await orm.close(true);
    await database.drop();
  });

  // The other kernel tables are unknown to this library, so the comparison would drop them.
  const drift = async () => {
    const statements = (await orm.schema.getUpdateSchemaSQL({ wrap: false, dropTables: false })).split('\n');
    return statements.filter((statement) => statement.includes('kernel_privacy_policy'));
  };

  it('agrees with the table that the migrations make', async () => {
    expect(await drift()).toEqual([]);
  });

  it('would tell a column that only the table has', async () => {
    await database.query('alter table kernel_privacy_policy add column surplus text');
    expect(await drift()).toEqual([expect.stringContaining('surplus')]);
    await database.query('alter table kernel_privacy_policy drop column surplus');
  });

  it('has a table that refuses the same version of a default twice', async () => {
    const insert = `insert into kernel_privacy_policy (policy_id, event_type, version, rules, created_by)
      values (gen_random_uuid(), 'a.b', 1, '[]', 'me')`;
    await database.query(insert);
    await expect(database.query(insert)).rejects.toThrow('kernel_privacy_policy_version_key');
  });
});
