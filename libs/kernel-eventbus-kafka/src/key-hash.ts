import { compatibilityPartitioner } from '@platformatic/kafka';

/** The hash of the Java producers, so other writers with the same keys choose the same partition. */
export function hashOf(key: Buffer): number {
  return compatibilityPartitioner({ topic: '' }, key);
}
