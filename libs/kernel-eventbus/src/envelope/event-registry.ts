import { Classifier } from '@kernel/privacy';
import { DuplicateEventDefinitionError } from '../eventbus.errors.js';
import type { EventDefinition } from './define-event.js';

/** The event types the host declared. A type that nobody declared may be published too; its payload is then unchecked. */
export class EventRegistry {
  readonly #definitions = new Map<string, EventDefinition>();
  readonly #classifiers = new Map<string, Classifier>();

  constructor(definitions: readonly EventDefinition[]) {
    for (const definition of definitions) {
      if (this.#definitions.has(definition.type)) {
        throw new DuplicateEventDefinitionError(definition.type);
      }
      this.#definitions.set(definition.type, definition);
      if (definition.privacy) {
        this.#classifiers.set(definition.type, new Classifier(definition.type, definition.privacy));
      }
    }
  }

  find(type: string): EventDefinition | undefined {
    return this.#definitions.get(type);
  }

  /** Undefined for a type of which nothing is forbidden or demanded. */
  classifierOf(type: string): Classifier | undefined {
    return this.#classifiers.get(type);
  }
}
