import { JSONPathEnvironment, JSONPathError, jsonpath } from 'json-p3';

/**
 * One step of a path: a named member of an object, every element of an array, or one element (negative: from the end).
 */
export type JsonPathSegment = { kind: 'name'; name: string } | { kind: 'each' } | { kind: 'index'; index: number };

export type ParsedJsonPath<Segment = JsonPathSegment> =
  { ok: true; segments: readonly Segment[] } | { ok: false; problem: string };

export const MAX_PATH_LENGTH = 500;

const { NameSelector, IndexSelector, WildcardSelector } = jsonpath.selectors;
const rfc9535 = new JSONPathEnvironment();

// Letters, digits, underscore and all characters beyond ASCII; no digit first.
const SHORTHAND = /^[A-Za-z_\u0080-\u{10FFFF}][\w\u0080-\u{10FFFF}]*$/u;

const ALLOWED =
  "a path is $ followed by any of .name, ['any name'], [0] (an element, [-1] the last) and [*] (every array element); " +
  'slices, filters, functions, .. and wildcards on names are not allowed';

const NOT_STORABLE = 'a path holds no NUL character and no lone surrogate: no stored payload has them';

/**
 * The size of the longest possible policy, some megabytes. Rules and predicates are parsed repeatedly, and parsing one
 * takes tens of microseconds.
 */
const MAX_REMEMBERED_STEPS = 150_000;

const remembered = new Map<string, readonly JsonPathSegment[]>();
let rememberedSteps = 0;

/**
 * Parses a subset of JSONPath (RFC 9535) with bounded cost for any payload. A refusal is a value that names the allowed
 * syntax.
 */
export function parseJsonPath(path: string, allowed = ALLOWED): ParsedJsonPath {
  const known = remembered.get(path);
  if (known) {
    return { ok: true, segments: known };
  }
  const parsed = parseAnew(path, allowed);
  if (parsed.ok) {
    remember(path, parsed.segments);
  }
  return parsed;
}

function remember(path: string, segments: readonly JsonPathSegment[]): void {
  if (rememberedSteps > MAX_REMEMBERED_STEPS) {
    remembered.clear();
    rememberedSteps = 0;
  }
  remembered.set(path, segments);
  rememberedSteps += segments.length + 1;
}

function parseAnew(path: string, allowed: string): ParsedJsonPath {
  if (path.length > MAX_PATH_LENGTH) {
    return { ok: false, problem: `has ${path.length} characters; at most ${MAX_PATH_LENGTH} are allowed` };
  }
  if (!isStorable(path)) {
    return { ok: false, problem: NOT_STORABLE };
  }
  if (!path.startsWith('$')) {
    return { ok: false, problem: `"${path}" does not start with $: ${allowed}` };
  }
  const refuseFrom = (position: number): ParsedJsonPath => {
    const rest = path.slice(position);
    return { ok: false, problem: `"${path}" is not understood${rest && ` from "${rest}" on`}: ${allowed}` };
  };
  const segments: JsonPathSegment[] = [];
  try {
    for (const segment of rfc9535.compile(path).segments) {
      const read = readSegment(segment);
      if (!read) {
        return refuseFrom(segment.token.index);
      }
      if (read.kind === 'name' && !isStorable(read.name)) {
        return { ok: false, problem: NOT_STORABLE };
      }
      segments.push(read);
    }
  } catch (error) {
    // Any error of the library means that it cannot read this path.
    return refuseFrom(error instanceof JSONPathError ? error.token.index : 0);
  }
  return { ok: true, segments };
}

/** Undefined for RFC 9535 syntax outside the subset: `..`, several selectors at once, slices, filters, and `.*`. */
function readSegment({ token, selectors }: jsonpath.JSONPathSegment): JsonPathSegment | undefined {
  const [selector, ...others] = selectors;
  if (others.length > 0 || token.kind === jsonpath.TokenKind.DDOT) {
    return undefined;
  }
  if (selector instanceof NameSelector) {
    return { kind: 'name', name: selector.name };
  }
  if (selector instanceof IndexSelector) {
    return { kind: 'index', index: selector.index };
  }
  const isEach = selector instanceof WildcardSelector && token.kind === jsonpath.TokenKind.LBRACKET;
  return isEach ? { kind: 'each' } : undefined;
}

function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/** A normalized path of RFC 9535, but without quotes around names that need none. */
export function formatSegment(segment: JsonPathSegment): string {
  switch (segment.kind) {
    case 'each':
      return '[*]';
    case 'index':
      return `[${segment.index}]`;
    case 'name':
      return SHORTHAND.test(segment.name) ? `.${segment.name}` : `['${escapeName(segment.name)}']`;
  }
}

function escapeName(name: string): string {
  return name.replace(/['\\]/g, '\\$&').replace(/\p{Cc}/gu, (control) => JSON.stringify(control).slice(1, -1));
}
