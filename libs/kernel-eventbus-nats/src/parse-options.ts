import { describeIssues, listIssues } from '@kernel/eventbus/engine';
import type { z } from 'zod';
import { NatsConfigurationError } from './nats.errors.js';

/** The message never contains values: some are secrets. */
export function parseOptions<S extends z.ZodType>(schema: S, options: unknown, whose: string): z.output<S> {
  const parsed = schema.safeParse(options);
  if (!parsed.success) {
    const problems = describeIssues(listIssues(parsed.error.issues));
    throw new NatsConfigurationError(`${whose} options are not valid: ${problems}`);
  }
  return parsed.data;
}
