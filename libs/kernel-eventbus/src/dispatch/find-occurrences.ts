/** A stretch of a text: from its first position to the one after its last. */
export interface Stretch {
  from: number;
  to: number;
}

/**
 * Finds a piece in a text, overlapping occurrences as one stretch, and at the end also a beginning of it, if that is
 * long enough. `indexOf` alone takes the product of both lengths for texts that repeat the piece's beginning; this
 * search (Knuth-Morris-Pratt) takes their sum at most.
 */
export function findOccurrences(piece: string, text: string, minBeginning: number): Stretch[] {
  const found: Stretch[] = [];
  const start = text.indexOf(piece.slice(0, minBeginning));
  if (start === -1) {
    return found;
  }
  const fallbacks = fallbacksOf(piece, text.length - start);
  let matched = 0;
  for (let place = start; place < text.length; place += 1) {
    matched = extend(matched, text.charCodeAt(place), piece, fallbacks);
    if (matched === piece.length) {
      add(found, place + 1 - matched, place + 1);
    }
  }
  if (matched >= minBeginning) {
    add(found, text.length - matched, text.length);
  }
  return found;
}

/** For each length of a beginning: that of the longest shorter beginning it ends with. No longer ones than `limit`. */
function fallbacksOf(piece: string, limit: number): Int32Array {
  const fallbacks = new Int32Array(Math.min(piece.length, limit) + 1);
  for (let length = 2; length < fallbacks.length; length += 1) {
    fallbacks[length] = extend(fallbacks[length - 1]!, piece.charCodeAt(length - 1), piece, fallbacks);
  }
  return fallbacks;
}

function extend(matched: number, code: number, piece: string, fallbacks: Int32Array): number {
  let length = matched;
  // Past the end of the piece the code is NaN, so a whole match falls back too.
  while (length > 0 && piece.charCodeAt(length) !== code) {
    length = fallbacks[length]!;
  }
  return piece.charCodeAt(length) === code ? length + 1 : 0;
}

function add(found: Stretch[], from: number, to: number): void {
  const last = found.at(-1);
  if (last && from < last.to) {
    last.to = to;
  } else {
    found.push({ from, to });
  }
}
