/**
 * Bounds the response: with many names below a long one, the list of paths would be many times larger than the payload.
 */
const MAX_PATHS = 1_000;
const MAX_CHARACTERS = 65_536;

/** Description of the response field `isCut`. */
export const CUT_NOTE = `true: a list has more than ${MAX_PATHS} paths, or ${MAX_CHARACTERS} characters, and only its first are shown`;

/** The first paths of a list, up to the limit of a response. */
export function firstPaths<Listed>(listed: Iterable<Listed>, pathOf: (one: Listed) => string): Listed[] {
  const first: Listed[] = [];
  let characters = 0;
  for (const one of listed) {
    characters += pathOf(one).length;
    if (first.length === MAX_PATHS || characters > MAX_CHARACTERS) {
      break;
    }
    first.push(one);
  }
  return first;
}
