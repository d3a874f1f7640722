/** Unescaped characters of a token. Dots separate tokens, `*` and `>` are wildcards, and `%` starts an escape. */
const PLAIN = /[A-Za-z0-9_-]/;

/** A token is never empty. */
const NO_STREAM = '_';

export interface SubjectParts {
  tenantId: string;
  /** Null: it may not go out. */
  streamKey: string | null;
  type: string;
}

/** `<prefix>.<tenant>.<stream>.<type>`, each one token, so consumers can filter by any of them. */
export function eventSubject(prefix: string, { tenantId, streamKey, type }: SubjectParts): string {
  return [prefix, ...[tenantId, streamKey ?? NO_STREAM, type].map(escapeToken)].join('.');
}

/** Every other byte of its UTF-8 becomes `%` and two hexadecimal digits: `invoice:7` is `invoice%3A7`. */
export function escapeToken(text: string): string {
  const bytes = [...Buffer.from(text, 'utf8')];
  const escaped = bytes.map((byte) => {
    const character = String.fromCharCode(byte);
    return PLAIN.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  });
  return escaped.join('');
}

/** Reverses `escapeToken`. */
export function unescapeToken(token: string): string {
  return decodeURIComponent(token);
}
