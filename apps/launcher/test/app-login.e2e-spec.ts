import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { prepareDatabase, findAppRole, readEnvironment, startErp } from '../../erp/src/main.js';
import { startReceiver } from '../../receiver/src/main.js';
import { openEmbeddedDatabase, type EmbeddedDatabase } from '../open-database.ts';

describe('the embedded database of npm start', () => {
  let folder: string;
  let database: EmbeddedDatabase;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kernel-login-'));
    database = await openEmbeddedDatabase(folder);
    await prepareDatabase(database.ownerUrl);
  });
  afterAll(async () => {
    await database.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('[KFM-10] is used by the app as a login that is neither owner nor superuser', async () => {
    const [databaseUrl, again] = await Promise.all([database.provideAppUrl(), database.provideAppUrl()]);
    expect(again).toBe(databaseUrl);
    const erp = await startErp({
      ...readEnvironment({ PORT: '0', LOG_LEVEL: 'silent', EVENTBUS_DEMO: 'false' }),
      ...{ databaseUrl, masterKey: randomBytes(32).toString('base64'), adminToken: undefined },
    });
    expect((await fetch(`${erp.url}/health/ready`)).status).toBe(200);
    const connections = await query(
      database.ownerUrl,
      `select distinct usename, usesuper, pg_has_role(usesysid, relowner, 'usage') as "isOwner"
       from pg_stat_activity join pg_user using (usesysid, usename) cross join pg_class
       where datname = 'kernel' and pid <> pg_backend_pid() and pg_class.oid = 'kernel_outbox_event'::regclass`,
    );
    expect(connections).toEqual([{ usename: 'kernel_erp', usesuper: false, isOwner: false }]);
    await erp.close();
  });

  it('gives the receiver a database of its own, from which nothing of ours can be read', async () => {
    const receiverUrl = await database.provideReceiverUrl();
    expect(await database.provideReceiverUrl()).toBe(receiverUrl);
    const receiver = await startReceiver({ port: 0, databaseUrl: receiverUrl, secret: `whsec_${'A'.repeat(44)}` });
    expect((await fetch(`${receiver.url}/received`)).status).toBe(200);
    await receiver.close();
    const ours = Object.assign(new URL(receiverUrl), { pathname: '/kernel' });
    await expect(query(ours.href, 'select from kernel_outbox_event')).rejects.toMatchObject({ code: '42501' });
  });

  it('takes on the role where the one user of an own database could do more, and only there', async () => {
    expect(await findAppRole(database.ownerUrl)).toBe('kernel_app');
    expect(await findAppRole(await database.provideAppUrl())).toBeUndefined();
  });
});

async function query(connectionString: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}
