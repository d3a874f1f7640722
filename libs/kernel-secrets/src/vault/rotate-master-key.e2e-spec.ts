import { randomUUID } from 'node:crypto';
import { newMasterKey, openVault } from '../../test/open-vault.js';
import { MasterKeyMismatchError, SecretUndecryptableError } from '../secrets.errors.js';
import { PostgresSecretVault } from './postgres-secret-vault.js';
import { rotateMasterKey } from './rotate-master-key.js';
import { verifyMasterKey } from './verify-master-key.js';

describe('rotateMasterKey', () => {
  it('encrypts every secret anew, tells its progress and records the new key', async () => {
    await using bundle = await setup();
    const { orm, old, fresh, database } = bundle;
    const before = await bundle.texts(bundle.vault);
    const progress: string[] = [];
    const told: number[] = [];
    const result = await rotateMasterKey(orm.em, {
      ...{ from: old, to: fresh },
      onProgress: ({ done, total }) => progress.push(`${done}/${total}`),
      onFinish: async (_em, reencrypted) => void told.push(reencrypted),
    });
    expect(result).toEqual({ reencrypted: 3 });
    expect(told).toEqual([3]);
    expect(progress).toEqual(['1/3', '2/3', '3/3']);
    expect(await database.query('select fingerprint from kernel_master_key')).toEqual([
      { fingerprint: fresh.fingerprint },
    ]);
    expect(await bundle.texts(new PostgresSecretVault(orm.em, fresh))).toEqual(before);
    await expect(bundle.texts(new PostgresSecretVault(orm.em, old))).rejects.toThrow(SecretUndecryptableError);
    await expect(verifyMasterKey(orm.em, old)).rejects.toThrow(MasterKeyMismatchError);
    await verifyMasterKey(orm.em, fresh);
  });

  it('changes nothing when it is run again', async () => {
    await using bundle = await setup();
    const { orm, old, fresh, database } = bundle;
    await rotateMasterKey(orm.em, { from: old, to: fresh });
    const rows = await database.query('select * from kernel_secret_version order by 1, 2, 3');
    let told = 0;
    const again = { from: old, to: fresh, onFinish: async () => void (told += 1) };
    expect(await rotateMasterKey(orm.em, again)).toEqual({ reencrypted: 0 });
    expect(await database.query('select * from kernel_secret_version order by 1, 2, 3')).toEqual(rows);
    expect(told).toBe(0);
  });

  it('is taken up where it was cut short; meanwhile whoever knows both keys reads everything', async () => {
    await using bundle = await setup();
    const { orm, old, fresh } = bundle;
    const cut = rotateMasterKey(orm.em, {
      ...{ from: old, to: fresh },
      onProgress: ({ done }) => {
        if (done === 2) {
          throw new Error('killed');
        }
      },
    });
    await expect(cut).rejects.toThrow('killed');
    await expect(verifyMasterKey(orm.em, fresh)).rejects.toThrow(MasterKeyMismatchError);
    await verifyMasterKey(orm.em, fresh, old);
    const both = new PostgresSecretVault(orm.em, fresh, { previousMasterKey: old });
    expect(await bundle.texts(both)).toEqual(bundle.given);
    expect(await rotateMasterKey(orm.em, { from: old, to: fresh })).toEqual({ reencrypted: 1 });
    expect(await bundle.texts(new PostgresSecretVault(orm.em, fresh))).toEqual(bundle.given);
  });

  it('lets nothing be put under a key that is not the database’s', async () => {
    await using bundle = await setup();
    const { orm, vault, old, fresh, tenantId } = bundle;
    const both = new PostgresSecretVault(orm.em, fresh, { previousMasterKey: old });
    const { value } = await both.put({ tenantId, alias: 'early' });
    // Processes that know only the old key can still read it.
    expect((await vault.liveVersions(tenantId, 'early'))[0]!.value.reveal()).toBe(value.reveal());
    await rotateMasterKey(orm.em, { from: old, to: fresh });
    await expect(vault.put({ tenantId, alias: 'late' })).rejects.toThrow(MasterKeyMismatchError);
    await both.put({ tenantId, alias: 'late' });
    expect(await new PostgresSecretVault(orm.em, fresh).liveVersions(tenantId, 'late')).toHaveLength(1);
  });

  it('waits for a secret that is being put, and encrypts it anew too', async () => {
    await using bundle = await setup();
    const { orm, vault, old, fresh, tenantId } = bundle;
    const em = orm.em.fork();
    await em.begin();
    const { value } = await vault.put({ tenantId, alias: 'meanwhile' }, em);
    const rotation = rotateMasterKey(orm.em.fork(), { from: old, to: fresh });
    await em.commit();
    expect(await rotation).toEqual({ reencrypted: 4 });
    const [live] = await new PostgresSecretVault(orm.em, fresh).liveVersions(tenantId, 'meanwhile');
    expect(live!.value.reveal()).toBe(value.reveal());
  });

  it('refuses to start from a key that the database does not have', async () => {
    await using bundle = await setup();
    const { orm, fresh, database } = bundle;
    const rows = await database.query('select * from kernel_secret_version order by 1, 2, 3');
    await expect(rotateMasterKey(orm.em, { from: newMasterKey(), to: fresh })).rejects.toThrow(MasterKeyMismatchError);
    expect(await database.query('select * from kernel_secret_version order by 1, 2, 3')).toEqual(rows);
  });

  it('stops at a damaged version and says what to do; goes on when it is revoked', async () => {
    await using bundle = await setup();
    const { orm, vault, old, fresh, database, tenantId } = bundle;
    await database.query(
      `update kernel_secret_version set ciphertext = '\\x00' where alias = 'billing' and version = 2`,
    );
    const stopped = rotateMasterKey(orm.em, { from: old, to: fresh });
    await expect(stopped).rejects.toThrow(/version 2 of the secret "billing" .* Revoke this version/);
    await vault.revoke(tenantId, 'billing', 2);
    await rotateMasterKey(orm.em, { from: old, to: fresh });
    await verifyMasterKey(orm.em, fresh);
  });
});

/** Three versions under the old key, one revoked, and their values. */
async function setup() {
  const bundle = await openVault();
  const { vault, orm, masterKey: old, tenantId } = bundle;
  await verifyMasterKey(orm.em, old);
  await vault.put({ tenantId, alias: 'billing' });
  await vault.put({ tenantId, alias: 'billing' });
  await vault.put({ tenantId, alias: 'partner', value: `Bearer ${randomUUID()}` });
  await vault.put({ tenantId, alias: 'gone' });
  await vault.revoke(tenantId, 'gone', 1);
  const texts = async (of: PostgresSecretVault) =>
    (await Promise.all(['billing', 'partner', 'gone'].map((alias) => of.liveVersions(tenantId, alias))))
      .flat()
      .map(({ value }) => value.reveal());
  return { ...bundle, old, fresh: newMasterKey(), texts, given: await texts(vault) };
}
