import type { Classifier, Misfit } from '@kernel/privacy';
import { MisclassifiedEventError } from '../eventbus.errors.js';

/** The event as it will be stored: after `toJSON` and getters have run. */
export interface SerialisedEvent {
  type: string;
  payloadJson: string;
  attributesJson: string;
}

const SENTENCES: Record<Misfit['kind'], string> = {
  'forbidden-field': 'must not be in a payload of this type: leave it out',
  'forbidden-shape':
    'must not be in a payload of this type, and an array, object or scalar that this path does not expect may hold it: ' +
    'use the shape of the path, or leave the field out',
  'label-missing': 'is missing: every payload of this type has to carry it',
  'attribute-missing': 'is missing: every event of this type has to carry it',
};

/** Rejects an event with a field that its type forbids, or without a label that its type requires. */
export function checkPrivacy({ type, payloadJson, attributesJson }: SerialisedEvent, classifier: Classifier): void {
  const misfits = classifier.misfitsOf({
    payload: classifier.readsPayload ? parse(payloadJson) : {},
    attributes: parse(attributesJson),
  });
  if (misfits.length > 0) {
    throw new MisclassifiedEventError(
      type,
      misfits.map(({ kind, path }) => ({ path: placeOf(kind, path), message: SENTENCES[kind] })),
    );
  }
}

function placeOf(kind: Misfit['kind'], path: string): string {
  return kind === 'attribute-missing' ? `attributes.${path}` : `payload${path.slice(1)}`;
}

function parse(json: string): Record<string, unknown> {
  return JSON.parse(json) as Record<string, unknown>;
}
