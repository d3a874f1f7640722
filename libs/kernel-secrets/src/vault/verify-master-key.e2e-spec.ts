import { newMasterKey, openVault } from '../../test/open-vault.js';
import { MasterKeyMismatchError } from '../secrets.errors.js';
import { verifyMasterKey } from './verify-master-key.js';

describe('verifyMasterKey', () => {
  it('records the first key by its fingerprint and takes it again', async () => {
    await using bundle = await openVault();
    const { orm, masterKey, database } = bundle;
    await verifyMasterKey(orm.em, masterKey);
    await verifyMasterKey(orm.em, masterKey);
    const rows = await database.query('select fingerprint from kernel_master_key');
    expect(rows).toEqual([{ fingerprint: masterKey.fingerprint }]);
  });

  it('refuses another key, names both fingerprints and the way out', async () => {
    await using bundle = await openVault();
    const { orm, masterKey } = bundle;
    await verifyMasterKey(orm.em, masterKey);
    const other = newMasterKey();
    const verified = verifyMasterKey(orm.em, other);
    await expect(verified).rejects.toThrow(MasterKeyMismatchError);
    await expect(verified).rejects.toThrow(
      `its fingerprint is ${other.fingerprint}, the database was set up with ${masterKey.fingerprint}; start with the key`,
    );
  });

  it('lets exactly one of several keys win that arrive at the same time', async () => {
    await using bundle = await openVault();
    const keys = Array.from({ length: 8 }, newMasterKey);
    const results = await Promise.allSettled(keys.map((key) => verifyMasterKey(bundle.orm.em.fork(), key)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await bundle.database.query('select from kernel_master_key')).toHaveLength(1);
  });
});
