import type { OutgoingResult } from '@kernel/outgoing-http';
import { PhraseAutomaton } from './phrase-automaton.js';

const MASK = '[secret]';
/** Shorter pieces occur in any text and disclose nothing. */
export const MIN_PIECE = 6;

/** Some receivers echo the request, and the ledger keeps the beginning of the response. */
export class CredentialMask {
  readonly #pieces: PhraseAutomaton;

  constructor(credentials: readonly string[]) {
    this.#pieces = new PhraseAutomaton([...new Set(credentials.flatMap(piecesOf))]);
  }

  /** Grows with the memory it takes. */
  get size(): number {
    return this.#pieces.size;
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
    let masked = '';
    let end = 0;
    // An excerpt may end in the middle of a piece.
    for (const { from, to } of this.#pieces.find(text, MIN_PIECE)) {
      masked += text.slice(end, from) + MASK;
      end = to;
    }
    return masked + text.slice(end);
  }
}

/** `Bearer abc` may come back as `abc`, and in JSON with its quotes escaped. */
function piecesOf(credential: string): string[] {
  const escaped = JSON.stringify(credential).slice(1, -1);
  return [escaped, credential, ...credential.split(' ')].filter(
    (piece) => piece === credential || piece.length >= MIN_PIECE,
  );
}
