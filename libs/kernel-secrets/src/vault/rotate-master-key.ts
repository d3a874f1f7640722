import { IsolationLevel } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { MasterKeyMismatchError } from '../secrets.errors.js';
import { countStaleVersions, findStaleVersions, type StaleVersion, replaceCiphertext } from './secret-versions.sql.js';
import { encryptLastingKey } from './lasting-key.js';
import { lockMasterKey, recordMasterKey, replaceMasterKey, selectMasterKey } from './master-key.sql.js';
import type { MasterKey } from './master-key.js';
import { decryptSecret, encryptSecret } from './secret-cipher.js';

const BATCH = 100;

export interface MasterKeyRotation {
  /** The current key of the database. */
  from: MasterKey;
  /** The new key. */
  to: MasterKey;
  /** Called after each version. */
  onProgress?: (progress: { done: number; total: number }) => void;
  /** Called in the transaction that makes the new key the database's, e.g. to write a ledger entry. */
  onFinish?: (em: EntityManager, reencrypted: number) => Promise<void>;
}

/**
 * Re-encrypts every secret, one version and one commit at a time, then records the new key's fingerprint. An
 * interrupted run is resumed by the next one with the same keys; a run with nothing left to do changes nothing.
 * Processes that know both keys keep working meanwhile.
 */
export async function rotateMasterKey(
  em: EntityManager,
  { from, to, onProgress, onFinish }: MasterKeyRotation,
): Promise<{ reencrypted: number }> {
  await recordMasterKey(em, from.fingerprint);
  const { fingerprint: databaseFingerprint } = (await selectMasterKey(em))!;
  if (databaseFingerprint !== from.fingerprint && databaseFingerprint !== to.fingerprint) {
    throw new MasterKeyMismatchError(from.fingerprint, databaseFingerprint);
  }
  let done = 0;
  for (;;) {
    const total = done + (await countStaleVersions(em, to.fingerprint));
    for (let stale; (stale = await findStaleVersions(em, to.fingerprint, BATCH)).length > 0;) {
      for (const version of stale) {
        await reencrypt(em, version, from, to);
        done += 1;
        onProgress?.({ done, total: Math.max(done, total) });
      }
    }
    if (await finish(em, from, to, (transaction) => onFinish?.(transaction, done))) {
      return { reencrypted: done };
    }
  }
}

async function reencrypt(em: EntityManager, stale: StaleVersion, from: MasterKey, to: MasterKey): Promise<void> {
  const value = decryptSecret([from, to], stale, stale.ciphertext);
  await replaceCiphertext(em, stale, {
    ciphertext: encryptSecret(to, stale, value),
    keyFingerprint: to.fingerprint,
  });
}

/** False if a secret was put under the old key during the run. */
function finish(
  em: EntityManager,
  from: MasterKey,
  to: MasterKey,
  onFinish: (transaction: EntityManager) => Promise<void> | undefined,
): Promise<boolean> {
  return em.fork().transactional(
    async (transaction) => {
      await lockMasterKey(transaction, 'alone');
      if ((await findStaleVersions(transaction, to.fingerprint, 1)).length > 0) {
        return false;
      }
      if ((await selectMasterKey(transaction))!.fingerprint !== to.fingerprint) {
        await replaceMasterKey(transaction, to.fingerprint, await encryptLastingKey(transaction, from, to));
        await onFinish(transaction);
      }
      return true;
    },
    // The search for old secrets has to see those that were put while it waited for the lock.
    { isolationLevel: IsolationLevel.READ_COMMITTED },
  );
}
