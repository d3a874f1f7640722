const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Nesting depth of objects and arrays in a JSON text; `{}` is 1. Reads the text once and does not recurse. */
export function jsonDepth(json: string): number {
  let depth = 0;
  let deepest = 0;
  for (let at = 0; at < json.length; at++) {
    switch (json.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(json, at);
        break;
      case 0x7b: // {
      case 0x5b: // [
        deepest = Math.max(deepest, ++depth);
        break;
      case 0x7d: // }
      case 0x5d: // ]
        depth -= 1;
        break;
    }
  }
  return deepest;
}

/** End of the string that opens here: the first quote without an odd number of backslashes before it. */
function endOfString(json: string, opens: number): number {
  for (let at = json.indexOf('"', opens + 1); at !== -1; at = json.indexOf('"', at + 1)) {
    let before = at - 1;
    while (json.charCodeAt(before) === BACKSLASH) before -= 1;
    if ((at - before) % 2 === 1) return at;
  }
  return json.length;
}
