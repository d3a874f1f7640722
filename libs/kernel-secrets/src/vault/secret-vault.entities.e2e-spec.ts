import { MikroORM } from '@mikro-orm/postgresql';
import { openVault } from '../../test/open-vault.js';
import { secretsEntities } from './secret-vault.entities.js';

/** The other tables of the kernel have their entities elsewhere. */
const OPTIONS = { wrap: false, dropTables: false };

/** Connects as a superuser, because PostgreSQL shows the constraints of a table only to its owner. */
async function findDrift(clientUrl: string): Promise<string> {
  const orm = await MikroORM.init({
    clientUrl,
    entities: secretsEntities,
    schemaGenerator: { ignoreTriggers: true, ignoreRoutines: true },
  });
  try {
    return await orm.schema.getUpdateSchemaSQL(OPTIONS);
  } finally {
    await orm.close(true);
  }
}

describe('vault entities', () => {
  it('agree with the migrated tables', async () => {
    await using bundle = await openVault();
    expect(await findDrift(bundle.database.url)).toBe('');
  });

  it('would be told apart from tables that differ', async () => {
    await using bundle = await openVault();
    await bundle.database.query('alter table kernel_secret_version drop constraint kernel_secret_version_state_check');
    await bundle.database.query('alter table kernel_master_key alter column created_at drop default');
    await bundle.database.query('drop index kernel_master_key_only_one_idx');
    const sql = await findDrift(bundle.database.url);
    expect(sql).toContain('kernel_secret_version_state_check');
    expect(sql).toContain('"created_at" set default');
    expect(sql).toContain('create unique index "kernel_master_key_only_one_idx"');
  });

  it('are the two tables of the vault', () => {
    expect(secretsEntities.map(({ meta }) => meta.tableName)).toEqual(['kernel_secret_version', 'kernel_master_key']);
  });
});
