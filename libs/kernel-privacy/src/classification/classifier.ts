import { parsePolicyPath, type PathSegment } from '../policy/policy-path.js';
import { canonicalPath } from '../policy/policy-rule.js';
import { isContainer } from '../redact/copy-json.js';
import { checkEventPrivacy } from './event-privacy.js';

export interface ClassifiedEvent {
  payload: Record<string, unknown>;
  attributes: Record<string, unknown>;
}

/** A forbidden part that an event has, or a required part that it lacks. Names paths, never a value. */
export interface Misfit {
  kind: 'forbidden-field' | 'forbidden-shape' | 'label-missing' | 'attribute-missing';
  /** As spelled in the declaration of the type; for an attribute, its name. */
  path: string;
}

interface Place {
  path: string;
  segments: readonly PathSegment[];
}

/** Checks events of one type against its declaration. Paths are parsed once, in the constructor. */
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

  /** False if `misfitsOf` does not need the payload. */
  get readsPayload(): boolean {
    return this.#forbidden.length + this.#labels.length > 0;
  }

  misfitsOf({ payload, attributes }: ClassifiedEvent): Misfit[] {
    return [
      ...this.#forbidden.flatMap(({ path, segments }): Misfit[] => {
        const found = find(payload, segments);
        return found === 'absent' ? [] : [{ kind: found === 'present' ? 'forbidden-field' : 'forbidden-shape', path }];
      }),
      ...this.#labels
        .filter(({ segments }) => !isSaid(payload, segments))
        .map(({ path }): Misfit => ({ kind: 'label-missing', path })),
      ...this.#attributes
        .filter((name) => !Object.hasOwn(attributes, name) || !saysSomething(attributes[name]))
        .map((name): Misfit => ({ kind: 'attribute-missing', path: name })),
    ];
  }
}

/**
 * Looks for a value at the path; `unclear` where the payload has another shape on the way, which may hold the same
 * value elsewhere. Recursion depth is the length of the path.
 */
function find(value: unknown, segments: readonly PathSegment[], at = 0): 'present' | 'absent' | 'unclear' {
  const step = segments[at];
  if (!step) {
    return 'present';
  }
  if (value === null || (isContainer(value) && Object.keys(value).length === 0)) {
    return 'absent';
  }
  if (!isContainer(value) || Array.isArray(value) !== (step.kind === 'each')) {
    return 'unclear';
  }
  if (step.kind === 'name') {
    return Object.hasOwn(value, step.name) ? find(value[step.name], segments, at + 1) : 'absent';
  }
  let found: 'absent' | 'unclear' = 'absent';
  for (const element of value as unknown as unknown[]) {
    const inElement = find(element, segments, at + 1);
    if (inElement === 'present') {
      return 'present';
    }
    found = inElement === 'unclear' ? 'unclear' : found;
  }
  return found;
}

/** Labels are members of members. */
function isSaid(payload: Record<string, unknown>, segments: readonly PathSegment[]): boolean {
  let value: unknown = payload;
  for (const step of segments) {
    if (step.kind !== 'name' || !isContainer(value) || Array.isArray(value) || !Object.hasOwn(value, step.name)) {
      return false;
    }
    value = value[step.name];
  }
  return saysSomething(value);
}

function saysSomething(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}

function toPlace(path: string): Place {
  const parsed = parsePolicyPath(path);
  return { path: canonicalPath(path), segments: parsed.ok ? parsed.segments : [] };
}
