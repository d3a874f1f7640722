import type { FieldSelector } from './field-selector.js';

type Selection = { values: readonly unknown[] } | { error: unknown };

/**
 * An event as predicates see it. The payload is parsed on first use, and each path is selected once: the predicates of
 * all endpoints share both.
 */
export class JudgedEvent {
  #payload?: { value: unknown };
  readonly #selections = new Map<string, Selection>();

  constructor(
    readonly type: string,
    private readonly payloadJson: string,
  ) {}

  /** @throws the selector's error, on every call with the path */
  select(path: string, selector: FieldSelector): readonly unknown[] {
    let selection = this.#selections.get(path);
    if (!selection) {
      selection = this.selectOnce(path, selector);
      this.#selections.set(path, selection);
    }
    if ('error' in selection) {
      throw selection.error;
    }
    return selection.values;
  }

  private selectOnce(path: string, selector: FieldSelector): Selection {
    try {
      this.#payload ??= { value: JSON.parse(this.payloadJson) as unknown };
      return { values: selector.select(this.#payload.value, path) };
    } catch (error) {
      return { error };
    }
  }
}
