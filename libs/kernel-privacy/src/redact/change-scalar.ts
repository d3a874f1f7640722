/** The first `length` characters of a text; never splits a surrogate pair. */
export function truncateText(text: string, length: number): string {
  if (text.length <= length) {
    return text;
  }
  let end = 0;
  let taken = 0;
  for (const character of text) {
    if (taken === length) {
      break;
    }
    end += character.length;
    taken += 1;
  }
  return text.slice(0, end);
}

/** IntervalJob to this number of decimals; never returns -0. */
export function coarsenNumber(value: number, decimals: number): number {
  return Number(value.toFixed(decimals)) + 0;
}
