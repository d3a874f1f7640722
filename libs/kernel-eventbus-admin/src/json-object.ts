import { z } from 'zod';

/**
 * Any JSON object. Not `z.record`, which takes microseconds per member and copies them: a payload may have tens of
 * thousands.
 */
export const JsonObject = z
  .any()
  .refine((value) => typeof value === 'object' && value !== null && !Array.isArray(value), 'must be an object')
  .meta({ type: 'object', additionalProperties: {} });
