import { z } from 'zod';

/**
 * `min(0)` has no effect on validation: without it, the OpenAPI document describes `z.string().nullable()` as a list of
 * texts.
 */
export const TextOrNull = z.string().min(0).nullable();
