import { appendEntries, ledgerEntry, newTraceId } from '@kernel/eventbus';
import { MasterKey, rotateMasterKey } from '@kernel/secrets';
import { MikroORM } from '@mikro-orm/postgresql';
import { ormOptions } from './orm-options.js';

const ACTOR = 'rotate-master-key';

export interface KeyRotation {
  /** Prepared: connected and migrated; of the tables' owner. */
  databaseUrl: string;
  masterKey: string;
  previousMasterKey: string;
  onProgress?: (progress: { done: number; total: number }) => void;
}

/** Encrypts all secrets anew, from the previous key to the new one; the ledger names both by their fingerprints. */
export async function rotateDatabaseKey(rotation: KeyRotation): Promise<{ reencrypted: number }> {
  const from = MasterKey.fromBase64(rotation.previousMasterKey);
  const to = MasterKey.fromBase64(rotation.masterKey);
  const orm = await MikroORM.init({ ...ormOptions({ databaseUrl: rotation.databaseUrl }), pool: { min: 0, max: 2 } });
  try {
    return await rotateMasterKey(orm.em.fork(), {
      ...{ from, to, onProgress: rotation.onProgress },
      onFinish: (em, reencrypted) =>
        appendEntries(em.getKysely(), [
          ledgerEntry({
            ...{ kind: 'master-key-rotated', actor: ACTOR, traceId: newTraceId() },
            detail: { from: from.fingerprint, to: to.fingerprint, reencrypted },
          }),
        ]),
    });
  } finally {
    await orm.close(true);
  }
}
