import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { createTestDatabase, type TestDatabase } from '@kernel/test-support/test-database';
import { readColumns } from './catalog.js';

const PERMISSION_DENIED = { code: '42501' };
const REFUSED = { code: '23001' };

/** Columns that the database fills in, and nobody else. */
const SET_BY_DATABASE: Record<string, string[]> = {
  kernel_ledger_entry: ['recorded_at'],
  kernel_ledger_seal: ['sealed_at'],
  kernel_admin_token: ['created_at', 'revoked_at'],
  kernel_secret_version: ['created_at', 'live_until'],
  kernel_privacy_policy: ['created_at'],
};

describe('[KER-1] SQL executed as the app', () => {
  let database: TestDatabase;
  let app: pg.Client;
  beforeAll(async () => {
    database = await createTestDatabase();
    app = new pg.Client({ connectionString: database.appUrl });
    await app.connect();
  });
  afterAll(async () => {
    await app.end();
    await database.drop();
  });

  it.each(Object.entries(SET_BY_DATABASE))('inserts every column of %s except %j', async (table, own) => {
    const columns = Object.keys(await readColumns(database, table));
    const rows = await database.query<{ column: string }>(
      `select column_name as column from unnest($2::text[]) column_name
       where not has_column_privilege('kernel_app', $1, column_name, 'insert')`,
      [table, columns],
    );
    expect(rows.map(({ column }) => column)).toEqual(own);
  });

  it.each(['now()', `'infinity'`, `'-infinity'`])('sets no time of a ledger entry: %s', async (time) => {
    await expect(
      app.query(
        `insert into kernel_ledger_entry (entry_id, kind, trace_id, actor, recorded_at)
         values ($1, 'published', 'trace-0001', 'forger', ${time})`,
        [randomUUID()],
      ),
    ).rejects.toMatchObject(PERMISSION_DENIED);
  });

  it.each(['delete from kernel_ledger_verification', 'delete from kernel_ledger_head'])(
    'does not remove what verification rests on: %s',
    async (statement) => {
      await expect(app.query(statement)).rejects.toMatchObject(PERMISSION_DENIED);
    },
  );

  describe('and the versions of a secret:', () => {
    const tenantId = randomUUID();
    let version = 0;
    const update = (set: string) =>
      app.query(`update kernel_secret_version set ${set} where tenant_id = $1 and version = $2`, [tenantId, version]);
    beforeEach(async () => {
      version += 1;
      await app.query(
        `insert into kernel_secret_version (tenant_id, alias, version, ciphertext, key_fingerprint)
         values ($1, 'billing', $2, 'sealed', 'key')`,
        [tenantId, version],
      );
    });

    it('an end can be set and brought forward, never put off or taken back', async () => {
      await update(`live_until = now() + interval '1 hour'`);
      await update(`live_until = now() + interval '1 minute'`);
      for (const later of [`now() + interval '1 hour'`, `'infinity'`, 'null']) {
        await expect(update(`live_until = ${later}`)).rejects.toMatchObject(REFUSED);
      }
    });

    it('a revoked one stays revoked and empty', async () => {
      await update(`state = 'revoked', ciphertext = ''`);
      for (const set of [`state = 'active'`, `ciphertext = 'sealed'`, `state = 'active', ciphertext = 'sealed'`]) {
        await expect(update(set)).rejects.toMatchObject(REFUSED);
      }
    });

    it('is emptied when it is revoked', async () => {
      await expect(update(`state = 'revoked'`)).rejects.toMatchObject(REFUSED);
    });

    it.each([
      `tenant_id = gen_random_uuid()`,
      `alias = 'other'`,
      'version = version + 1000',
      `kind = 'credential'`,
      `created_at = now()`,
    ])('keeps what it is: %s', async (set) => {
      await expect(update(set)).rejects.toMatchObject({ code: expect.stringMatching('42501|23001') });
    });

    it('no function or operator of its own decides', async () => {
      await database.query('create schema forger authorization kernel_test_app');
      await update(`live_until = now()`);
      await app.query(
        `create function forger.never(timestamptz, timestamptz) returns boolean language sql as 'select false';
         create operator forger.> (leftarg = timestamptz, rightarg = timestamptz, function = forger.never);
         set search_path = forger, pg_catalog, public`,
      );
      await expect(update(`live_until = 'infinity'`)).rejects.toMatchObject(REFUSED);
      await app.query('reset search_path');
    });
  });

  it('does not forget the lasting key', async () => {
    await app.query(`insert into kernel_master_key (fingerprint, lasting_key) values ('one', 'sealed')`);
    await app.query(`update kernel_master_key set fingerprint = 'two', lasting_key = 'sealed anew'`);
    await expect(app.query('update kernel_master_key set lasting_key = null')).rejects.toMatchObject(REFUSED);
  });
});
