import { formatSegment } from '../path/json-path.js';
import { isArray, isContainer, keysOf } from './copy-json.js';

// Keeps the listing of a deep payload linear in its size, and bounds the recursion.
const MAX_LISTED_LENGTH = 1_000;

/**
 * Reports the path of every scalar and every empty container at or below `value`; elements of an array share `[*]`.
 * Content below a path of more than 1,000 characters is reported as that path. Paths for which `isLeftOut` is true are
 * skipped with everything below them.
 */
export function listLeafPaths(
  value: unknown,
  path: string,
  tell: (path: string) => void,
  isLeftOut: (path: string) => boolean = () => false,
): void {
  if (isLeftOut(path)) {
    return;
  }
  if (!isContainer(value) || path.length > MAX_LISTED_LENGTH) {
    return tell(path);
  }
  if (isArray(value)) {
    return listElements(value, elementPath(path), path, tell, isLeftOut);
  }
  const members = keysOf(value);
  if (members.length === 0) {
    return tell(path);
  }
  for (const name of members) {
    listLeafPaths(value[name], memberPath(path, name), tell, isLeftOut);
  }
}

/** The path of all scalars in an array is reported once. */
function listElements(
  elements: readonly unknown[],
  below: string,
  path: string,
  tell: (path: string) => void,
  isLeftOut: (path: string) => boolean,
): void {
  if (elements.length === 0) {
    return tell(path);
  }
  if (isLeftOut(below)) {
    return;
  }
  let hasScalars = false;
  for (const element of elements) {
    if (isContainer(element)) {
      listLeafPaths(element, below, tell, isLeftOut);
    } else if (!hasScalars) {
      hasScalars = true;
      tell(below);
    }
  }
}

/** The path of a member of the value at `path`; a path over the limit grows no further. */
export function memberPath(path: string, name: string): string {
  return path.length > MAX_LISTED_LENGTH ? path : path + formatSegment({ kind: 'name', name });
}

/** The same for an element. */
export function elementPath(path: string): string {
  return path.length > MAX_LISTED_LENGTH ? path : `${path}[*]`;
}
