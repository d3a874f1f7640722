import { type Container, emptyLike, isArray, isContainer, keysOf, setOwn } from './copy-json.js';
import { elementPath, memberPath } from './list-leaf-paths.js';
import { REMOVED } from './removed.js';

/** Returns the replacement of a scalar, or `REMOVED`. The path is computed only when asked for. */
export type LeafChange = (leaf: unknown, pathOf: () => string) => unknown;

interface Frame {
  from: Container;
  to: Container;
  path: string;
  parent?: { container: Container; name: string };
}

/**
 * Copies a value with every scalar in it changed; a container that loses all its content is removed too. Not recursive,
 * so depth cannot exhaust the stack.
 */
export function changeLeaves(value: unknown, path: string, change: LeafChange): unknown {
  if (!isContainer(value)) {
    return change(value, () => path);
  }
  const root: Frame = { from: value, to: emptyLike(value), path };
  const frames = [root];
  // Parents come before children, and the list grows during the iteration.
  for (const frame of frames) {
    if (isArray(frame.from)) {
      copyElements(frame, frame.from, change, frames);
    } else {
      copyMembers(frame, change, frames);
    }
  }
  return frames.reduceRight((_, frame) => prune(frame), undefined as unknown);
}

function copyElements({ to, path }: Frame, from: readonly unknown[], change: LeafChange, frames: Frame[]): void {
  const below = elementPath(path);
  const pathOf = () => below;
  for (let index = 0; index < from.length; index++) {
    const value = from[index];
    if (isContainer(value)) {
      const child = emptyLike(value);
      to[index] = child;
      frames.push({ from: value, to: child, path: below, parent: { container: to, name: `${index}` } });
    } else {
      to[index] = change(value, pathOf);
    }
  }
}

function copyMembers({ from, to, path }: Frame, change: LeafChange, frames: Frame[]): void {
  for (const name of keysOf(from)) {
    const value = from[name];
    if (isContainer(value)) {
      const child = emptyLike(value);
      setOwn(to, name, child);
      frames.push({ from: value, to: child, path: memberPath(path, name), parent: { container: to, name } });
    } else {
      setOwn(
        to,
        name,
        change(value, () => memberPath(path, name)),
      );
    }
  }
}

/** Children are pruned before parents, so a parent can tell whether it has lost everything. */
function prune({ from, to, parent }: Frame): unknown {
  const isEmptied = dropRemoved(to) === 0 && sizeOf(from) > 0;
  if (isEmptied && parent) {
    setOwn(parent.container, parent.name, REMOVED);
  }
  return isEmptied ? REMOVED : to;
}

/** Returns the number of remaining entries. */
function dropRemoved(container: Container): number {
  if (isArray(container)) {
    const kept = (container as unknown[]).filter((element) => element !== REMOVED);
    if (kept.length < container.length) {
      kept.forEach((element, index) => (container[index] = element));
      container.length = kept.length;
    }
    return kept.length;
  }
  let left = 0;
  for (const name of keysOf(container)) {
    if (container[name] === REMOVED) {
      delete container[name];
    } else {
      left += 1;
    }
  }
  return left;
}

function sizeOf(container: Container): number {
  return isArray(container) ? container.length : keysOf(container).length;
}
