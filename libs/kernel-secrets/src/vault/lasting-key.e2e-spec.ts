import { newMasterKey, openVault } from '../../test/open-vault.js';
import { LastingKeyNotReadError, MasterKeyMismatchError } from '../secrets.errors.js';
import { LastingKey } from './lasting-key.js';
import { rotateMasterKey } from './rotate-master-key.js';
import { verifyMasterKey } from './verify-master-key.js';

describe('LastingKey', () => {
  it('[K-V1] derives the same keys after any number of rotations of the master key', async () => {
    await using bundle = await openVault();
    const { orm, masterKey: first } = bundle;
    await verifyMasterKey(orm.em, first);
    const derive = async (...known: (typeof first)[]) =>
      (await new LastingKey().read(orm.em, known)).derive('privacy-hash', 'a tenant').toString('hex');
    const [second, third] = [newMasterKey(), newMasterKey()];
    const before = await derive(first);
    expect(before).not.toBe(first.derive('privacy-hash', 'a tenant').toString('hex'));

    await rotateMasterKey(orm.em, { from: first, to: second });
    expect(await derive(second)).toBe(before);
    await rotateMasterKey(orm.em, { from: second, to: third });
    expect(await derive(third)).toBe(before);
    expect(await derive(third, second)).toBe(before);
    await expect(derive(second)).rejects.toThrow(MasterKeyMismatchError);
  });

  it('is the same before the first rotation, whether or not a process knows the next key already', async () => {
    await using bundle = await openVault();
    const { orm, masterKey: current } = bundle;
    await verifyMasterKey(orm.em, current);
    const derive = async (...known: (typeof current)[]) =>
      (await new LastingKey().read(orm.em, known)).derive('p', 'c').toString('hex');
    expect(await derive(newMasterKey(), current)).toBe(await derive(current));
  });

  it('derives nothing before it is read', () => {
    expect(() => new LastingKey().derive('p', 'c')).toThrow(LastingKeyNotReadError);
  });
});
