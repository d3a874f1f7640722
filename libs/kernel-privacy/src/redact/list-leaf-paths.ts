import { formatSegment } from '../path/json-path.js';
import { isContainer } from './copy-json.js';

// Keeps the listing of a deep payload linear in its size, and the recursion far from the end of the stack.
const MAX_LISTED_LENGTH = 1_000;

/**
 * Tells the path of every scalar and every empty container at or below `value`; elements of an array share `[*]`.
 * What lies below a path of more than 1,000 characters is told as that path.
 */
export function listLeafPaths(value: unknown, path: string, tell: (path: string) => void): void {
  if (!isContainer(value) || path.length > MAX_LISTED_LENGTH) {
    return tell(path);
  }
  const members = Object.keys(value);
  if (members.length === 0) {
    return tell(path);
  }
  for (const name of members) {
    listLeafPaths(value[name], pathBelow(path, value, name), tell);
  }
}

/** The path of a member or element of what stands at `path`; a path that is long enough grows no further. */
export function pathBelow(path: string, container: object, name: string): string {
  if (path.length > MAX_LISTED_LENGTH) {
    return path;
  }
  return path + (Array.isArray(container) ? '[*]' : formatSegment({ kind: 'name', name }));
}
