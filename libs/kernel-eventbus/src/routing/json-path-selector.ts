import { parseJsonPath, type JsonPathSegment } from '@kernel/privacy';
import type { FieldSelector } from './field-selector.js';

const MAX_REMEMBERED = 5_000;

/**
 * FR-005d. A subset of JSONPath (RFC 9535): member names, indices and [*] on arrays. Nothing in it recurses or computes, so
 * that no path can make a payload expensive.
 */
export class JsonPathSelector implements FieldSelector {
  readonly #parsed = new Map<string, readonly JsonPathSegment[]>();

  check(path: string): string | undefined {
    const parsed = parseJsonPath(path);
    return parsed.ok ? undefined : parsed.problem;
  }

  select(payload: unknown, path: string): unknown[] {
    return this.segmentsOf(path).reduce<unknown[]>(
      (nodes, segment) => nodes.flatMap((node) => childrenOf(node, segment)),
      [payload],
    );
  }

  private segmentsOf(path: string): readonly JsonPathSegment[] {
    const known = this.#parsed.get(path);
    if (known) {
      return known;
    }
    const parsed = parseJsonPath(path);
    if (!parsed.ok) {
      throw new TypeError(`a path was stored that this selector does not read: ${parsed.problem}`);
    }
    if (this.#parsed.size >= MAX_REMEMBERED) {
      this.#parsed.clear();
    }
    this.#parsed.set(path, parsed.segments);
    return parsed.segments;
  }
}

function childrenOf(node: unknown, segment: JsonPathSegment): unknown[] {
  if (Array.isArray(node)) {
    return elementsOf(node, segment);
  }
  // Own members alone: a payload has no `constructor` unless it says so.
  return segment.kind === 'name' && typeof node === 'object' && node !== null && Object.hasOwn(node, segment.name)
    ? [(node as Record<string, unknown>)[segment.name]]
    : [];
}

function elementsOf(node: unknown[], segment: JsonPathSegment): unknown[] {
  switch (segment.kind) {
    case 'name':
      return [];
    case 'each':
      return node;
    case 'index': {
      const index = segment.index < 0 ? node.length + segment.index : segment.index;
      return index >= 0 && index < node.length ? [node[index]] : [];
    }
  }
}
