import { z } from 'zod';
import { InvalidOptionsError } from '@kernel/eventbus';
import { describeIssues, listIssues } from '@kernel/runtime';
import { ClassDecorators } from '../class-decorators.js';

/** Options of `EventBusHealthModule.forRoot`. */
export interface EventBusHealthOptions {
  /** Decorators for the controller, e.g. `[Public()]` for a global guard of the host. Default: none. */
  decorators?: readonly ClassDecorator[];
}

const EventBusHealthOptionsSchema = z.strictObject({ decorators: ClassDecorators });

export function resolveHealthOptions(options: EventBusHealthOptions): Required<EventBusHealthOptions> {
  const parsed = EventBusHealthOptionsSchema.safeParse(options);
  if (!parsed.success) {
    const problems = describeIssues(listIssues(parsed.error.issues));
    throw new InvalidOptionsError(`EventBusHealthModule options are not valid: ${problems}`);
  }
  return parsed.data;
}
