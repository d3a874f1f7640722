import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { IN_DOUBT, inCanonicalOrder } from './canonical-order.js';

// An escaped NUL, but not an escaped backslash before "u0000".
const ESCAPED_NUL = /(?<!\\)(?:\\\\)*\\u0000/;

export type CanonicalJson = { isStorable: true; json: string } | { isStorable: false; problem: string };

/** RFC 8785 text of a value. A value that jsonb cannot store is a problem here, not an error at the caller's commit. */
export function toCanonicalJson(value: unknown): CanonicalJson {
  let json: string | undefined;
  try {
    const ordered = inCanonicalOrder(value);
    json = ordered === IN_DOUBT ? canonicalize(value) : JSON.stringify(ordered);
  } catch (error) {
    return { isStorable: false, problem: error instanceof Error ? error.message : 'cannot be written as JSON' };
  }
  if (json === undefined) {
    return { isStorable: false, problem: 'cannot be written as JSON' };
  }
  if (ESCAPED_NUL.test(json)) {
    return { isStorable: false, problem: 'contains a NUL character, which PostgreSQL cannot store' };
  }
  return { isStorable: true, json };
}

/** PostgreSQL text can store neither NUL nor half a surrogate pair. */
export function isStorableText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

export function sha256Hex(data: string | Buffer): string {
  return hash('sha256', data, 'hex');
}
