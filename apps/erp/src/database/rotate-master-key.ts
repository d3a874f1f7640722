import { withOrm } from '@kernel/app';
import { appendEntries, ledgerEntry, newTraceId } from '@kernel/eventbus';
import { MasterKey, rotateMasterKey } from '@kernel/secrets';
import { ormOptions } from './orm-options.js';

const ACTOR = 'rotate-master-key';

export interface KeyRotation {
  /** URL of the tables' owner. The database must be reachable and migrated. */
  databaseUrl: string;
  masterKey: string;
  previousMasterKey: string;
  onProgress?: (progress: { done: number; total: number }) => void;
}

/** Re-encrypts all secrets from the previous key to the new one; the ledger names both by their fingerprints. */
export async function rotateDatabaseKey(rotation: KeyRotation): Promise<{ reencrypted: number }> {
  const from = MasterKey.fromBase64(rotation.previousMasterKey);
  const to = MasterKey.fromBase64(rotation.masterKey);
  return withOrm(ormOptions({ databaseUrl: rotation.databaseUrl }), (orm) =>
    rotateMasterKey(orm.em.fork(), {
      ...{ from, to, onProgress: rotation.onProgress },
      onFinish: (em, reencrypted) =>
        appendEntries(em.getKysely(), [
          ledgerEntry({
            ...{ kind: 'master-key-rotated', actor: ACTOR, traceId: newTraceId() },
            detail: { from: from.fingerprint, to: to.fingerprint, reencrypted },
          }),
        ]),
    }),
  );
}
