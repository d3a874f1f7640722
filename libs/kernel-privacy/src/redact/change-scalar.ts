/** At most so many characters of a text, never half of one. */
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

/** A number rounded to so many decimals; never -0. */
export function coarsenNumber(value: number, decimals: number): number {
  return Number(value.toFixed(decimals)) + 0;
}
