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
  kind: 'forbidden-field' | 'forbidden-shape' | 'label-missing' | 'attribute-missing';
  /** As the declaration of the type spells it; of an attribute its name. */
  path: string;
}

interface Place {
  path: string;
  segments: readonly PathSegment[];
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
 * Whether the path leads to a value; `unclear` where the payload has another shape on the way, in which the same may be. Its
 * depth is that of the path.
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
