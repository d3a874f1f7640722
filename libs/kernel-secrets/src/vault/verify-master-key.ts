import type { EntityManager } from '@mikro-orm/postgresql';
import { MasterKeyMismatchError } from '../secrets.errors.js';
import type { MasterKey } from './master-key.js';
import { recordMasterKey, selectMasterKey } from './master-key.sql.js';

/**
 * Refuses a master key other than the one that encrypts this database's secrets, unless that one is given as the
 * previous key: both are valid during a rotation. The first key ever seen is recorded. Run after the migrations and
 * before anything is signed.
 */
export async function verifyMasterKey(em: EntityManager, masterKey: MasterKey, previous?: MasterKey): Promise<void> {
  await recordMasterKey(em, masterKey.fingerprint);
  // A second statement: the row that turned the first into a no-op may have been committed after its snapshot.
  const { fingerprint: databaseFingerprint } = (await selectMasterKey(em))!;
  if (![masterKey.fingerprint, previous?.fingerprint].includes(databaseFingerprint)) {
    throw new MasterKeyMismatchError(masterKey.fingerprint, databaseFingerprint);
  }
}
