import { parseJsonPath } from '@kernel/privacy';
import { JSONPathEnvironment, type JSONPathQuery, type JSONValue } from 'json-p3';
import type { FieldSelector } from './field-selector.js';

interface CompiledPath {
  query: JSONPathQuery;
  /** Where in a found value's location an array's index has to stand: RFC 9535's `[*]` takes the members of objects too. */
  eachAt: readonly number[];
}

const MAX_REMEMBERED = 5_000;

const rfc9535 = new JSONPathEnvironment();

/**
 * FR-005d. A subset of JSONPath (RFC 9535), the same as policies speak: member names, indices and [*] on arrays. Nothing in it
 * recurses or computes, so that no path can make a payload expensive.
 */
export class JsonPathSelector implements FieldSelector {
  readonly #compiled = new Map<string, CompiledPath>();

  check(path: string): string | undefined {
    const parsed = parseJsonPath(path);
    return parsed.ok ? undefined : parsed.problem;
  }

  select(payload: unknown, path: string): unknown[] {
    const { query, eachAt } = this.#compiled.get(path) ?? this.compile(path);
    const { nodes } = query.query(payload as JSONValue);
    return nodes
      .filter(({ location }) => eachAt.every((place) => typeof location[place] === 'number'))
      .map(({ value }) => value);
  }

  private compile(path: string): CompiledPath {
    const parsed = parseJsonPath(path);
    if (!parsed.ok) {
      throw new TypeError(`a path was stored that this selector does not read: ${parsed.problem}`);
    }
    const eachAt = parsed.segments.flatMap(({ kind }, place) => (kind === 'each' ? [place] : []));
    const compiled = { query: rfc9535.compile(path), eachAt };
    if (this.#compiled.size >= MAX_REMEMBERED) {
      this.#compiled.clear();
    }
    this.#compiled.set(path, compiled);
    return compiled;
  }
}
