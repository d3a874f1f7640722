/** What others wrote (names, answers of receivers) must not steer the terminal. */
export function toPlainText(value: unknown): string {
  const text = typeof value === 'string' ? value : value === null || value === undefined ? '' : JSON.stringify(value);
  return text.replace(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, ' ');
}

/** JSON escapes the control characters below the space only. */
export function toJson(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(
    /[\x7f-\x9f]|\p{Bidi_Control}/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
