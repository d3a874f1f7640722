import { z } from 'zod';
import { InvalidOptionsError } from '@kernel/eventbus';
import { describeIssues, listIssues } from '@kernel/runtime';
import { DEFAULT_PATH } from './access/admin-controller.js';

/** Options of `EventBusAdminModule.forRoot`. */
export interface EventBusAdminOptions {
  /** Path of the admin API. Nest's global prefix is added. Default: `/admin/eventbus`. */
  path?: string;
  /** Decorators for every controller, e.g. `[Public()]` for a global guard of the host. Default: none. */
  decorators?: readonly ClassDecorator[];
  /** Lists the routes in the host's OpenAPI document. Default: true. */
  swagger?: boolean;
}

const PATH = /^(?:\/[\w~-][\w.~-]*)+$/;

const EventBusAdminOptionsSchema = z.strictObject({
  path: z
    .string()
    .regex(PATH, 'must begin with a slash, end without one and need no escaping, e.g. /admin/eventbus')
    .default(DEFAULT_PATH),
  decorators: z
    .array(z.custom<ClassDecorator>((value) => typeof value === 'function', 'must be a class decorator, e.g. Public()'))
    .readonly()
    .default([]),
  swagger: z.boolean().default(true),
});

export function resolveAdminOptions(options: EventBusAdminOptions): Required<EventBusAdminOptions> {
  const parsed = EventBusAdminOptionsSchema.safeParse(options);
  if (!parsed.success) {
    const problems = describeIssues(listIssues(parsed.error.issues));
    throw new InvalidOptionsError(`EventBusAdminModule options are not valid: ${problems}`);
  }
  return parsed.data;
}
