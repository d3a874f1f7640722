import { z } from 'zod';
import { positive } from '../eventbus.option-checks.js';

export interface RetentionOptions {
  /** Published events older than this are dropped, a whole partition at a time. Default: 30. */
  publishedDays?: number;
  /** Delivered deliveries are removed this long after they were settled, never before their event. Default: 30. */
  deliveryDays?: number;
  /** Dead letters likewise; their envelopes are kept as long as they. Default: 90. */
  deadLetterDays?: number;
  /**
   * How long a handler remembers at least which events it has processed; longer, while one of them could be replayed. Default:
   * 90, or `publishedDays` if that is more; never less than that.
   */
  processedDays?: number;
}

export const RetentionOptionsSchema = z
  .strictObject({
    publishedDays: positive.max(36_500).default(30),
    deliveryDays: positive.max(36_500).default(30),
    deadLetterDays: positive.max(36_500).default(90),
    processedDays: positive.max(36_500).optional(),
  })
  .refine(({ processedDays, publishedDays }) => (processedDays ?? publishedDays) >= publishedDays, {
    path: ['processedDays'],
    message: 'must not be less than retention.publishedDays, while events can be delivered again',
  })
  .transform((days) => ({ ...days, processedDays: days.processedDays ?? Math.max(90, days.publishedDays) }))
  .prefault({});
