import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { SecretAddress } from '../secret-address.js';
import { SecretValue } from '../secret-value.js';
import { SecretUndecryptableError } from '../secrets.errors.js';
import type { MasterKey } from './master-key.js';

const FORMAT = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEADER_BYTES = 1 + NONCE_BYTES + TAG_BYTES;

export interface SecretPlace extends SecretAddress {
  version: number;
}

/** AES-256-GCM, packed as format byte, nonce, tag, ciphertext. */
export function encryptSecret(masterKey: MasterKey, place: SecretPlace, value: SecretValue): Buffer {
  // Drawn here and not passed in: a repeated nonce would reveal the authentication key.
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', tenantKey(masterKey, place), nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(boundTo(place));
  const ciphertext = Buffer.concat([cipher.update(value.reveal(), 'utf8'), cipher.final()]);
  return Buffer.concat([Buffer.of(FORMAT), nonce, cipher.getAuthTag(), ciphertext]);
}

/** Tries each of the keys. */
export function decryptSecret(masterKeys: readonly MasterKey[], place: SecretPlace, packed: Buffer): SecretValue {
  const causes: unknown[] = [];
  for (const masterKey of masterKeys) {
    try {
      return open(masterKey, place, packed);
    } catch (cause) {
      causes.push(cause);
    }
  }
  throw new SecretUndecryptableError(place.alias, place.version, { cause: causes[0] });
}

function open(masterKey: MasterKey, place: SecretPlace, packed: Buffer): SecretValue {
  if (packed.length <= HEADER_BYTES || packed[0] !== FORMAT) {
    throw new Error('not in a format that this release reads');
  }
  const nonce = packed.subarray(1, 1 + NONCE_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', tenantKey(masterKey, place), nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(boundTo(place));
  decipher.setAuthTag(packed.subarray(1 + NONCE_BYTES, HEADER_BYTES));
  const text = Buffer.concat([decipher.update(packed.subarray(HEADER_BYTES)), decipher.final()]);
  return new SecretValue(text.toString('utf8'));
}

function tenantKey(masterKey: MasterKey, { tenantId }: SecretPlace): Buffer {
  return masterKey.derive('secret-vault', tenantId);
}

/** Authenticated with the ciphertext: a row moved to another tenant, alias or version does not decrypt there. */
function boundTo({ tenantId, alias, version }: SecretPlace): Buffer {
  return Buffer.from(JSON.stringify([tenantId, alias, version]));
}
