import type { OutgoingResult } from '@kernel/outgoing-http';

const MASK = '[secret]';
/** Shorter pieces occur in any text and disclose nothing. */
const MIN_PIECE = 6;

/** Some receivers echo the request, and the ledger keeps the beginning of the response. */
export function maskCredentials(result: OutgoingResult, credentials: readonly string[]): OutgoingResult {
  const pieces = credentials.flatMap(piecesOf);
  if (result.kind === 'failure') {
    return { ...result, message: mask(result.message, pieces) };
  }
  const headers = Object.fromEntries(
    Object.entries(result.headers).map(([name, value]) => [name, mask(value, pieces)]),
  );
  return { ...result, headers, bodyExcerpt: mask(result.bodyExcerpt, pieces) };
}

/** `Bearer abc` may come back as `abc`, and in JSON with its quotes escaped. Longest first. */
function piecesOf(credential: string): string[] {
  const escaped = JSON.stringify(credential).slice(1, -1);
  return [...new Set([escaped, credential, ...credential.split(' ')])]
    .filter((piece) => piece === credential || piece.length >= MIN_PIECE)
    .toSorted((one, other) => other.length - one.length);
}

function mask(text: string, pieces: readonly string[]): string {
  let masked = text;
  for (const piece of pieces) {
    masked = masked.replaceAll(piece, MASK);
  }
  // An excerpt may end in the middle of a piece.
  for (const piece of pieces) {
    for (let length = piece.length - 1; length >= MIN_PIECE; length -= 1) {
      if (masked.endsWith(piece.slice(0, length))) {
        return masked.slice(0, -length) + MASK;
      }
    }
  }
  return masked;
}
