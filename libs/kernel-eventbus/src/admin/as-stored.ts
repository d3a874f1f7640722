import { z } from 'zod';

/**
 * For answers: described like the schema, but not checked. What is stored was checked when it was given, and checking a page of it
 * again takes microseconds per value.
 */
export function asStored<Schema extends z.ZodType>(schema: Schema): z.ZodType<z.output<Schema>> {
  const { $schema: _, ...description } = z.toJSONSchema(schema);
  return z.any().meta(description);
}
