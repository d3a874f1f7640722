import { Classifier } from '@kernel/privacy';
import { DuplicateEventDefinitionError } from '../eventbus.errors.js';
import type { EventDefinition } from './define-event.js';

/** The event types that the host declared. Other types may be published too; their payloads are not checked. */
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

  /** Undefined for a type that forbids and requires nothing. */
  classifierOf(type: string): Classifier | undefined {
    return this.#classifiers.get(type);
  }
}
