import { listIssues } from '@kernel/runtime';
import { z } from 'zod';
import { Id } from '../envelope/request-fields.js';
import { refusals } from '../eventbus.refusals.js';

/** The input with its defaults; refuses an invalid one and names its fields. */
export function parseInput<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const { success, data, error } = schema.safeParse(input);
  if (!success) {
    throw refusals.invalidFields(listIssues(error.issues));
  }
  return data;
}

const WithId = z.strictObject({ id: Id });

export function parseId(id: string): string {
  return parseInput(WithId, { id }).id;
}
