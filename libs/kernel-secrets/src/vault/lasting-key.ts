import type { EntityManager } from '@mikro-orm/postgresql';
import { SecretValue } from '../secret-value.js';
import { LastingKeyNotReadError, MasterKeyMismatchError } from '../secrets.errors.js';
import { MasterKey } from './master-key.js';
import { decryptSecret, encryptSecret } from './secret-cipher.js';
import { selectMasterKey } from './master-key.sql.js';

const PLACE = { tenantId: '00000000-0000-0000-0000-000000000000', alias: 'lasting-key', version: 1 };

/**
 * Derives keys that must survive a rotation of the master key: for hashes that receivers compare, and for the
 * signatures of seals. Derived from the first master key; from the first rotation on the database stores it, encrypted.
 */
export class LastingKey {
  #key: MasterKey | undefined;

  /** @throws {MasterKeyMismatchError} when the database's key is not among the known ones */
  async read(em: EntityManager, known: readonly MasterKey[]): Promise<this> {
    this.#key = await readLastingKey(em, known);
    return this;
  }

  derive(purpose: string, context: string): Buffer {
    if (!this.#key) {
      throw new LastingKeyNotReadError();
    }
    return this.#key.derive(purpose, context);
  }
}

async function readLastingKey(em: EntityManager, known: readonly MasterKey[]): Promise<MasterKey> {
  const recorded = await selectMasterKey(em);
  const current = recorded ? known.find(({ fingerprint }) => fingerprint === recorded.fingerprint) : known[0];
  if (!current) {
    throw new MasterKeyMismatchError(known[0]!.fingerprint, recorded!.fingerprint);
  }
  const text = recorded?.lastingKey ? decryptSecret([current], PLACE, recorded.lastingKey).reveal() : derived(current);
  return MasterKey.fromBase64(text);
}

/** The lasting key encrypted under the new master key, for storage. */
export async function encryptLastingKey(em: EntityManager, from: MasterKey, to: MasterKey): Promise<Buffer> {
  const { lastingKey } = (await selectMasterKey(em))!;
  const value = lastingKey ? decryptSecret([from, to], PLACE, lastingKey) : new SecretValue(derived(from));
  return encryptSecret(to, PLACE, value);
}

function derived(first: MasterKey): string {
  return first.derive('lasting-key', '1').toString('base64');
}
