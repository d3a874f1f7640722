import { formatSegment } from '../path/json-path.js';
import { isArray, isContainer, keysOf } from './copy-json.js';

// Keeps the listing of a deep payload linear in its size, and the recursion far from the end of the stack.
const MAX_LISTED_LENGTH = 1_000;

/**
 * Tells the path of every scalar and every empty container at or below `value`; elements of an array share `[*]`. What lies below a
 * path of more than 1,000 characters is told as that path. What is at or below a path that `isLeftOut` is not looked at.
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

/** Of all scalars in an array the path is told once. */
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

/** The path of a member of what stands at `path`; a path that is long enough grows no further. */
export function memberPath(path: string, name: string): string {
  return path.length > MAX_LISTED_LENGTH ? path : path + formatSegment({ kind: 'name', name });
}

/** The same for an element. */
export function elementPath(path: string): string {
  return path.length > MAX_LISTED_LENGTH ? path : `${path}[*]`;
}
