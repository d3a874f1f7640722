import { parseJsonPath, type JsonPathSegment } from '@kernel/privacy';
import { MAX_PATH_STEPS, tooMany } from '../subscription-limits.js';
import type { FieldSelector } from './field-selector.js';

const { isArray } = Array;
const { hasOwn } = Object;

/**
 * FR-005d. A subset of JSONPath (RFC 9535), the same as in policies: member names, indices and [*] on arrays. Nothing
 * in it recurses or computes, so that no path can make a payload expensive.
 */
export class JsonPathSelector implements FieldSelector {
  check(path: string): string | undefined {
    const parsed = parseJsonPath(path);
    if (!parsed.ok) {
      return parsed.problem;
    }
    const { length } = parsed.segments;
    return length > MAX_PATH_STEPS ? tooMany(length, 'steps', MAX_PATH_STEPS) : undefined;
  }

  select(payload: unknown, path: string): unknown[] {
    const parsed = parseJsonPath(path);
    if (!parsed.ok) {
      throw new TypeError(`a path was stored that this selector does not read: ${parsed.problem}`);
    }
    return parsed.segments.reduce(step, [payload]);
  }
}

/** Names select only from objects, indices and [*] only from arrays. */
function step(values: readonly unknown[], segment: JsonPathSegment): unknown[] {
  const found: unknown[] = [];
  for (const value of values) {
    if (typeof value !== 'object' || value === null || isArray(value) !== (segment.kind !== 'name')) {
      continue;
    }
    if (segment.kind === 'name') {
      if (hasOwn(value, segment.name)) {
        found.push((value as Record<string, unknown>)[segment.name]);
      }
    } else if (segment.kind === 'each') {
      for (const element of value as unknown[]) {
        found.push(element);
      }
    } else {
      const elements = value as unknown[];
      const at = segment.index < 0 ? elements.length + segment.index : segment.index;
      if (at >= 0 && at < elements.length) {
        found.push(elements[at]);
      }
    }
  }
  return found;
}
