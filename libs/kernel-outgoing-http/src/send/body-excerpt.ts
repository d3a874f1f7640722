export const maxExcerptCharacters = 1_024;

/**
 * Converts untrusted bytes to text that PostgreSQL can store (no NUL, no lone surrogate) and a console can show (no
 * control characters, no bidirectional overrides).
 */
export function toBodyExcerpt(body: string): string {
  if (body === '') return body;
  return body
    .slice(0, maxExcerptCharacters)
    .replace(/[\t\n\r]/g, ' ')
    .replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, '\ufffd')
    .toWellFormed();
}
