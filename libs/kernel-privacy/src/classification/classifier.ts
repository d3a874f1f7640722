import { parsePolicyPath, type PathSegment } from '../policy/policy-path.js';
import { canonicalPath } from '../policy/policy-rule.js';
import { isContainer } from '../redact/copy-json.js';
import { checkEventPrivacy } from './event-privacy.js';

export interface ClassifiedEvent {
  payload: Record<string, unknown>;
  attributes: Record<string, unknown>;
}

/** What an event has that it must not have, or lacks that it must have. Names places, never a value. */
export interface Misfit {
  kind: 'forbidden-field' | 'label-missing' | 'attribute-missing';
  /** As the declaration of the type spells it; of an attribute its name. */
  path: string;
}

interface Place {
  path: string;
  segments: PathSegment[];
}

/** Holds events of one type against what its declaration says of them; made once, it parses no path again. */
export class Classifier {
  readonly #forbidden: Place[];
  readonly #labels: Place[];
  readonly #attributes: readonly string[];

  /** @throws {InvalidEventPrivacyError} when the declaration is not valid */
  constructor(eventType: string, privacy: unknown) {
    const { forbidden = [], labels = [], requiredAttributes = [] } = checkEventPrivacy(eventType, privacy);
    this.#forbidden = forbidden.map(toPlace);
    this.#labels = labels.map(toPlace);
    this.#attributes = requiredAttributes;
  }

  /** Whether `misfitsOf` has to see the payload at all. */
  get readsPayload(): boolean {
    return this.#forbidden.length + this.#labels.length > 0;
  }

  misfitsOf({ payload, attributes }: ClassifiedEvent): Misfit[] {
    return [
      ...this.#forbidden
        .filter(({ segments }) => find(payload, segments, () => true))
        .map(({ path }): Misfit => ({ kind: 'forbidden-field', path })),
      ...this.#labels
        .filter(({ segments }) => !find(payload, segments, saysSomething))
        .map(({ path }): Misfit => ({ kind: 'label-missing', path })),
      ...this.#attributes
        .filter((name) => !Object.hasOwn(attributes, name) || !saysSomething(attributes[name]))
        .map((name): Misfit => ({ kind: 'attribute-missing', path: name })),
    ];
  }
}

/** Whether any value that the path leads to passes. Its depth is that of the path. */
function find(value: unknown, [step, ...rest]: readonly PathSegment[], passes: (value: unknown) => boolean): boolean {
  if (!step) {
    return passes(value);
  }
  if (step.kind === 'each') {
    return Array.isArray(value) && value.some((element) => find(element, rest, passes));
  }
  const isObject = isContainer(value) && !Array.isArray(value);
  return isObject && Object.hasOwn(value, step.name) && find(value[step.name], rest, passes);
}

function saysSomething(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}

function toPlace(path: string): Place {
  const parsed = parsePolicyPath(path);
  return { path: canonicalPath(path), segments: parsed.ok ? parsed.segments : [] };
}
