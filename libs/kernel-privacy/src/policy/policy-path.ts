import { formatSegment, parseJsonPath, type JsonPathSegment, type ParsedJsonPath } from '../path/json-path.js';

/** One step of a path: a named member of an object, or every element of an array. */
export type PathSegment = Exclude<JsonPathSegment, { kind: 'index' }>;

export type ParsedPath = ParsedJsonPath<PathSegment>;

/** The envelope's `actorId` is not part of the payload, so no `$` path reaches it. */
export const ACTOR_ID_PATH = '@actorId';
/** The envelope's `streamKey`, in the body and in `x-kernel-stream-key`. */
export const STREAM_KEY_PATH = '@streamKey';

export const ENVELOPE_PATHS: readonly string[] = [ACTOR_ID_PATH, STREAM_KEY_PATH];

export function isEnvelopePath(path: string): boolean {
  return ENVELOPE_PATHS.includes(path);
}

const ALLOWED =
  "a path is $ followed by any of .name, ['any name'] and [*] (every array element); " +
  'indices, slices, filters, .. and wildcards on names are not allowed';

/** Parses the JSONPath subset of policies, without indexes: a rule covers all elements of an array or none. */
export function parsePolicyPath(path: string): ParsedPath {
  const parsed = parseJsonPath(path, ALLOWED);
  if (!parsed.ok) {
    return parsed;
  }
  return hasNoIndex(parsed.segments)
    ? { ok: true, segments: parsed.segments }
    : { ok: false, problem: `"${path}" has an index: ${ALLOWED}` };
}

function hasNoIndex(segments: readonly JsonPathSegment[]): segments is readonly PathSegment[] {
  return segments.every(({ kind }) => kind !== 'index');
}

/** The canonical spelling of a path: `$['a']` and `$.a` both become `$.a`. */
export function formatPolicyPath(segments: readonly PathSegment[]): string {
  return segments.reduce((path, segment) => path + formatSegment(segment), '$');
}
