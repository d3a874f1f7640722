import type { OutgoingResult } from '@kernel/outgoing-http';
import { findOccurrences } from './find-occurrences.js';

const MASK = '[secret]';
/** Shorter pieces occur in any text and disclose nothing. */
export const MIN_PIECE = 6;

/** Some receivers echo the request, and the ledger keeps the beginning of the response. */
export class CredentialMask {
  readonly #pieces: string[];

  constructor(credentials: readonly string[]) {
    this.#pieces = [...new Set(credentials.flatMap(piecesOf))];
  }

  apply(result: OutgoingResult): OutgoingResult {
    if (result.kind === 'failure') {
      return { ...result, message: this.hideIn(result.message) };
    }
    const headers = Object.fromEntries(
      Object.entries(result.headers).map(([name, value]) => [name, this.hideIn(value)]),
    );
    return { ...result, headers, bodyExcerpt: this.hideIn(result.bodyExcerpt) };
  }

  hideIn(text: string): string {
    // An excerpt may end in the middle of a piece.
    const found = this.#pieces.flatMap((piece) => findOccurrences(piece, text, MIN_PIECE));
    let masked = '';
    let end = 0;
    for (const { from, to } of found.sort((one, other) => one.from - other.from)) {
      if (from >= end) {
        masked += text.slice(end, from) + MASK;
      }
      end = Math.max(end, to);
    }
    return masked + text.slice(end);
  }
}

/** `Bearer abc` may come back as `abc`, and in JSON with its quotes escaped. */
function piecesOf(credential: string): string[] {
  const escaped = JSON.stringify(credential).slice(1, -1);
  const withoutScheme = credential.trim().replace(/^\S+\s+/, '');
  return [credential, escaped, withoutScheme].filter(
    (piece) => piece.length >= MIN_PIECE || (piece === credential && piece !== ''),
  );
}
