import { resolve } from 'node:path';
import { z } from 'zod';

export type ConsoleTheme = 'system' | 'light' | 'dark';

/** Options of `EventBusConsoleModule.forRoot`. */
export interface EventBusConsoleOptions {
  /** Path of the pages on the host, exactly as in the URL: a global prefix is not added. Default: `/console`. */
  path?: string;
  /** Path of the admin API, exactly as in the URL. Default: `/admin/eventbus` below Nest's global prefix. */
  adminPath?: string;
  /** Origins that may show the console in a frame; `self` is the host's own. Default: none. */
  frameAncestors?: readonly string[];
  /** Colours for users who have not chosen any in the console. Default: `system`. */
  theme?: ConsoleTheme;
  /** Directory of the built pages. Default: the pages in this package. */
  pagesDirectory?: string;
}

const BUILT_PAGES = resolve(import.meta.dirname, '../dist/pages');
const PATH = /^(?:\/[\w~-][\w.~-]*)+$/;
const FRAME_ANCESTOR = /^(?:self|https?:\/\/(?:\*\.)?[a-z\d.-]+(?::\d+)?)$/;

const path = (example: string) =>
  z.string().regex(PATH, `must begin with a slash, end without one and need no escaping, e.g. ${example}`);

const EventBusConsoleOptionsSchema = z.strictObject({
  path: path('/console').default('/console'),
  adminPath: path('/admin/eventbus').optional(),
  frameAncestors: z
    .array(z.string().regex(FRAME_ANCESTOR, 'must be "self" or an origin, e.g. https://admin.example.com'))
    .readonly()
    .default([]),
  theme: z.enum(['system', 'light', 'dark']).default('system'),
  pagesDirectory: z.string().min(1).default(BUILT_PAGES),
});

const ParsedOptions = class {} as unknown as abstract new () => Readonly<z.output<typeof EventBusConsoleOptionsSchema>>;

/** The options with every default in place. Its own injection token. */
export abstract class EventBusConsoleConfig extends ParsedOptions {}

/** With the admin path found. */
export type PageSettings = EventBusConsoleConfig & { readonly adminPath: string };

export class InvalidConsoleOptionsError extends Error {
  override readonly name = 'InvalidConsoleOptionsError';
  readonly code = 'EVENTBUS_CONSOLE_INVALID_OPTIONS';
}

export function resolveConsoleConfig(options: EventBusConsoleOptions): EventBusConsoleConfig {
  const parsed = EventBusConsoleOptionsSchema.safeParse(options);
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => `${issue.path.join('.') || 'options'}: ${issue.message}`);
    throw new InvalidConsoleOptionsError(`EventBusConsoleModule options are not valid: ${problems.join('; ')}`);
  }
  return Object.freeze(parsed.data);
}
