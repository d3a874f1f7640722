import { z } from 'zod';
import { positive } from '../eventbus.option-checks.js';

export interface RetentionOptions {
  /** Published events older than this are dropped, a whole partition at a time. Default: 30. */
  publishedDays?: number;
  /** Delivered deliveries are removed this long after they finished, but never before their event. Default: 30. */
  deliveryDays?: number;
  /** Dead letters are removed this long after they finished, together with their envelopes. Default: 90. */
  deadLetterDays?: number;
  /**
   * Minimum time for which a handler remembers processed events; longer while one of them can be replayed. Must not be
   * less than `publishedDays`. Default: 90, or `publishedDays` if that is more.
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
