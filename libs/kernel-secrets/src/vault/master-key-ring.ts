import type { EntityManager } from '@mikro-orm/postgresql';
import { MasterKeyMismatchError } from '../secrets.errors.js';
import { lockMasterKey } from './lock-master-key.sql.js';
import type { MasterKey } from './master-key.js';
import { selectMasterKey } from './select-master-key.sql.js';

/** The keys that a process knows: one, or while a rotation is under way two. */
export class MasterKeyRing {
  readonly all: readonly MasterKey[];

  constructor(current: MasterKey, previous?: MasterKey) {
    this.all = previous ? [current, previous] : [current];
  }

  /**
   * The one that is the database's now: until the rotation has finished, processes that know the previous key alone can read
   * what is put. A process whose key was rotated away under it encrypts nothing more.
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
