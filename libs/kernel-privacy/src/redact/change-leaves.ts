import { emptyLike, isContainer, setOwn, type Container } from './copy-json.js';
import { pathBelow } from './list-leaf-paths.js';
import { REMOVED } from './removed.js';

/** What goes out instead of a scalar, `REMOVED` if nothing. */
export type LeafChange = (leaf: unknown, path: string) => unknown;

interface Frame {
  from: Container;
  to: Container;
  path: string;
  parent?: { container: Container; name: string };
}

/**
 * Copies a value with every scalar at or below it changed; what loses everything below it is removed itself. It does not
 * recurse: depth cannot exhaust the stack.
 */
export function changeLeaves(value: unknown, path: string, change: LeafChange): unknown {
  if (!isContainer(value)) {
    return change(value, path);
  }
  const root: Frame = { from: value, to: emptyLike(value), path };
  const frames = [root];
  // Parents come before children, and the list grows while it is read.
  for (const frame of frames) {
    copyMembers(frame, change, frames);
  }
  return frames.reduceRight((_, frame) => prune(frame), undefined as unknown);
}

function copyMembers({ from, to, path }: Frame, change: LeafChange, frames: Frame[]): void {
  for (const name of Object.keys(from)) {
    const value = from[name];
    const below = pathBelow(path, from, name);
    if (isContainer(value)) {
      const child = emptyLike(value);
      setOwn(to, name, child);
      frames.push({ from: value, to: child, path: below, parent: { container: to, name } });
    } else {
      setOwn(to, name, change(value, below));
    }
  }
}

/** Children come before parents here: whether a parent has lost everything is known when its turn comes. */
function prune({ from, to, parent }: Frame): unknown {
  dropRemoved(to);
  const isEmptied = Object.keys(to).length === 0 && Object.keys(from).length > 0;
  if (isEmptied && parent) {
    setOwn(parent.container, parent.name, REMOVED);
  }
  return isEmptied ? REMOVED : to;
}

function dropRemoved(container: Container): void {
  if (Array.isArray(container)) {
    const kept = (container as unknown[]).filter((element) => element !== REMOVED);
    kept.forEach((element, index) => (container[index] = element));
    container.length = kept.length;
    return;
  }
  for (const name of Object.keys(container)) {
    if (container[name] === REMOVED) {
      delete container[name];
    }
  }
}
