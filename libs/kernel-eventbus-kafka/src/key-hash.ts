import { compatibilityPartitioner } from '@platformatic/kafka';

/** As Java's producers have it, so that others who write under the same keys agree on the partition. */
export function hashOf(key: Buffer): number {
  return compatibilityPartitioner({ topic: '' }, key);
}
