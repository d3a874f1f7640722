import { z } from 'zod';

/** With a limit that limits nothing: a bare `z.string().nullable()` is described as a list of texts in the OpenAPI document. */
export const TextOrNull = z.string().min(0).nullable();
