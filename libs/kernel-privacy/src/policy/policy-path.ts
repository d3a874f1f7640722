/** One step of a path: into a named member of an object, or into every element of an array. */
export type PathSegment = { kind: 'name'; name: string } | { kind: 'each' };

export type ParsedPath = { ok: true; segments: PathSegment[] } | { ok: false; problem: string };

/** The envelope's `actorId` is no part of the payload, so no `$` path reaches it. */
export const ACTOR_ID_PATH = '@actorId';

const MAX_PATH_LENGTH = 500;

// Shorthand names are those of RFC 9535: letters, digits, underscore and anything beyond ASCII, no digit first.
const SHORTHAND = /^[A-Za-z_\u0080-\u{10FFFF}][\w\u0080-\u{10FFFF}]*$/u;
const STEP = /\.([A-Za-z_\u0080-\u{10FFFF}][\w\u0080-\u{10FFFF}]*)|\['((?:[^'\\]|\\['\\])*)'\]|\[\*\]/uy;

const ALLOWED =
  "a path is $ followed by any of .name, ['any name'] and [*] (every array element); " +
  'indices, slices, filters, .. and wildcards on names are not allowed';

/** Reads the JSONPath subset that policies speak; a refusal is a value that says what is allowed. */
export function parsePolicyPath(path: string): ParsedPath {
  if (path.length > MAX_PATH_LENGTH) {
    return { ok: false, problem: `a path has at most ${MAX_PATH_LENGTH} characters` };
  }
  if (!path.isWellFormed() || path.includes('\0')) {
    return { ok: false, problem: 'a path holds no NUL character and no lone surrogate: no stored payload has them' };
  }
  if (!path.startsWith('$')) {
    return { ok: false, problem: `"${path}" does not start with $: ${ALLOWED}` };
  }
  const segments: PathSegment[] = [];
  let position = 1;
  while (position < path.length) {
    STEP.lastIndex = position;
    const step = STEP.exec(path);
    if (!step) {
      return { ok: false, problem: `"${path}" is not understood from "${path.slice(position)}" on: ${ALLOWED}` };
    }
    const name = step[1] ?? step[2]?.replace(/\\(.)/gu, '$1');
    segments.push(name === undefined ? { kind: 'each' } : { kind: 'name', name });
    position = STEP.lastIndex;
  }
  return { ok: true, segments };
}

/** The one spelling of a path: `$['a']` and `$.a` both become `$.a`. */
export function formatPolicyPath(segments: readonly PathSegment[]): string {
  return segments.reduce((path, segment) => path + formatSegment(segment), '$');
}

export function formatSegment(segment: PathSegment): string {
  if (segment.kind === 'each') {
    return '[*]';
  }
  return SHORTHAND.test(segment.name) ? `.${segment.name}` : `['${segment.name.replace(/['\\]/g, '\\$&')}']`;
}
