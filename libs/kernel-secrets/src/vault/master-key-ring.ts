import type { EntityManager } from '@mikro-orm/postgresql';
import { MasterKeyMismatchError } from '../secrets.errors.js';
import { lockMasterKey, selectMasterKey } from './master-key.sql.js';
import type { MasterKey } from './master-key.js';

/** The keys of a process: one, or two during a rotation. */
export class MasterKeyRing {
  readonly all: readonly MasterKey[];

  constructor(current: MasterKey, previous?: MasterKey) {
    this.all = previous ? [current, previous] : [current];
  }

  /**
   * The current key of the database, so processes that know only the previous key can read new secrets until the
   * rotation finishes. A process whose keys are all outdated no longer encrypts.
   */
  async toEncryptWith(em: EntityManager): Promise<MasterKey> {
    await lockMasterKey(em, 'shared');
    const fingerprint = (await selectMasterKey(em))?.fingerprint;
    const [current] = this.all;
    const key = fingerprint === undefined ? current! : this.all.find((known) => known.fingerprint === fingerprint);
    if (!key) {
      throw new MasterKeyMismatchError(current!.fingerprint, fingerprint!);
    }
    return key;
  }
}
