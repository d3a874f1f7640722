import type { z } from 'zod';
import { NatsConfigurationError } from './nats.errors.js';

/** The message never contains values: some are secrets. */
export function parseOptions<S extends z.ZodType>(schema: S, options: unknown, whose: string): z.output<S> {
  const parsed = schema.safeParse(options);
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => `${issue.path.join('.') || 'options'}: ${issue.message}`);
    throw new NatsConfigurationError(`${whose} options are not valid: ${problems.join('; ')}`);
  }
  return parsed.data;
}
