/** Nobody reads more; and a payload of many names below a long one would make lists that are many times its size. */
const MAX_PATHS = 1_000;
const MAX_CHARACTERS = 65_536;

/** Of a field that is there only then. */
export const CUT_NOTE = `true: a list has more than ${MAX_PATHS} paths, or ${MAX_CHARACTERS} characters, and only its first are shown`;

/** The first of a list of paths, as many as an answer shows. */
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
