import { createHash } from 'node:crypto';
import { TRANSFORM_VERSION } from '../transform/summarise-flow.js';

/** Covers every input of a run and nothing else: the same inputs have the same key on every machine. */
export function idempotencyKeyOf(datasetId: string, version: string, input: string): string {
  const inputDigest = createHash('sha256').update(input).digest('hex');
  const facts = JSON.stringify([datasetId, version, TRANSFORM_VERSION, inputDigest]);
  return `sha256:${createHash('sha256').update(facts).digest('hex')}`;
}
