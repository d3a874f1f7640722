/** One step of a path: into a named member of an object, into every element of an array, or into one (negative: from the end). */
export type JsonPathSegment = { kind: 'name'; name: string } | { kind: 'each' } | { kind: 'index'; index: number };

export type ParsedJsonPath<Segment = JsonPathSegment> =
  { ok: true; segments: Segment[] } | { ok: false; problem: string };

export const MAX_PATH_LENGTH = 500;

// Names and indices are spelled as RFC 9535 spells them. Shorthand names: letters, digits, underscore and anything beyond
// ASCII, no digit first.
const SHORTHAND = /^[A-Za-z_\u0080-\u{10FFFF}][\w\u0080-\u{10FFFF}]*$/u;
const STEP =
  /\.([A-Za-z_\u0080-\u{10FFFF}][\w\u0080-\u{10FFFF}]*)|\['((?:[^'\\]|\\['\\])*)'\]|\[(0|-?[1-9]\d{0,8})\]|\[\*\]/uy;

const ALLOWED =
  "a path is $ followed by any of .name, ['any name'], [0] (an element, [-1] the last) and [*] (every array element); " +
  'slices, filters, functions, .. and wildcards on names are not allowed';

/** Reads a subset of JSONPath (RFC 9535) that no payload can make expensive; a refusal is a value that says what is allowed. */
export function parseJsonPath(path: string, allowed = ALLOWED): ParsedJsonPath {
  if (path.length > MAX_PATH_LENGTH) {
    return { ok: false, problem: `a path has at most ${MAX_PATH_LENGTH} characters` };
  }
  if (!path.isWellFormed() || path.includes('\0')) {
    return { ok: false, problem: 'a path holds no NUL character and no lone surrogate: no stored payload has them' };
  }
  if (!path.startsWith('$')) {
    return { ok: false, problem: `"${path}" does not start with $: ${allowed}` };
  }
  const segments: JsonPathSegment[] = [];
  let position = 1;
  while (position < path.length) {
    STEP.lastIndex = position;
    const step = STEP.exec(path);
    if (!step) {
      return { ok: false, problem: `"${path}" is not understood from "${path.slice(position)}" on: ${allowed}` };
    }
    segments.push(segmentOf(step));
    position = STEP.lastIndex;
  }
  return { ok: true, segments };
}

function segmentOf([, shorthand, quoted, index]: RegExpExecArray): JsonPathSegment {
  const name = shorthand ?? quoted?.replace(/\\(.)/gu, '$1');
  if (name !== undefined) {
    return { kind: 'name', name };
  }
  return index === undefined ? { kind: 'each' } : { kind: 'index', index: Number(index) };
}

export function formatSegment(segment: JsonPathSegment): string {
  switch (segment.kind) {
    case 'each':
      return '[*]';
    case 'index':
      return `[${segment.index}]`;
    case 'name':
      return SHORTHAND.test(segment.name) ? `.${segment.name}` : `['${segment.name.replace(/['\\]/g, '\\$&')}']`;
  }
}
