import { hash } from 'node:crypto';
import type { HashText } from './pending-hash.js';

const BLOCK_BYTES = 64;
const DIGEST_BYTES = 32;

/**
 * Keyed, because a plain hash of an e-mail address is reversed by hashing known addresses. HMAC (RFC 2104) built from
 * two one-shot hashes: `createHmac` sets up a key schedule per value, which takes eight times as long.
 */
export function hmacSha256(key: Buffer): HashText {
  const block = Buffer.alloc(BLOCK_BYTES);
  (key.length > BLOCK_BYTES ? hash('sha256', key, 'buffer') : key).copy(block);
  const inner = block.map((byte) => byte ^ 0x36);
  const outer = Buffer.alloc(
    BLOCK_BYTES + DIGEST_BYTES,
    block.map((byte) => byte ^ 0x5c),
  );
  return (text) => {
    const message = Buffer.allocUnsafe(BLOCK_BYTES + Buffer.byteLength(text));
    message.set(inner);
    message.write(text, BLOCK_BYTES);
    outer.set(hash('sha256', message, 'buffer'), BLOCK_BYTES);
    return `hmac-sha256:${hash('sha256', outer, 'hex')}`;
  };
}
