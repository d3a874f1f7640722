import { z } from 'zod';

/**
 * For responses: documented like the schema, but not validated. Stored values were validated on input, and a second
 * validation costs microseconds per value.
 */
export function asStored<Schema extends z.ZodType>(schema: Schema): z.ZodType<z.output<Schema>> {
  const { $schema: _, ...description } = z.toJSONSchema(schema);
  return z.any().meta(description);
}
