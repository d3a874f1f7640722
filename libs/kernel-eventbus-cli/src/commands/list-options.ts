import { InvalidArgumentError, type Command } from 'commander';
import type { Query } from '../connection/admin-api.js';

const DEFAULT_LIMIT = 50;

/** Each option with the query field that it sets. */
const FILTERS = {
  tenant: ['--tenant <id>', 'of this tenant', 'tenantId'],
  endpoint: ['--endpoint <id>', 'of this endpoint', 'endpointId'],
  event: ['--event <id>', 'of this event', 'eventId'],
  type: ['--type <type>', 'of this event type', 'type'],
  stream: ['--stream <key>', 'of this stream', 'streamKey'],
  status: ['--status <status>', 'PENDING, FAILED, DELIVERED or DLQ', 'status'],
  trace: ['--trace <id>', 'under this trace id', 'traceId'],
  since: ['--since <time>', 'then or later, ISO 8601: 2026-11-16T03:00:00Z', 'since'],
  until: ['--until <time>', 'before then, ISO 8601', 'until'],
} as const;

export type FilterName = keyof typeof FILTERS;
export type FilterOptions = Partial<Record<FilterName, string>>;
export type ListOptions = FilterOptions & { limit: number; cursor?: string };

export function withFilters(command: Command, names: FilterName[]): Command {
  for (const name of names) {
    const [flags, description] = FILTERS[name];
    command.option(flags, description);
  }
  return command;
}

export function withList(command: Command, names: FilterName[]): Command {
  return withFilters(command, names)
    .option('--limit <number>', 'at most so many', readCount, DEFAULT_LIMIT)
    .option('--cursor <cursor>', 'go on where an earlier list ended');
}

export function toFilter(options: FilterOptions): Record<string, string> {
  const given = Object.entries(FILTERS).filter(([name]) => options[name as FilterName] !== undefined);
  return Object.fromEntries(given.map(([name, [, , field]]) => [field, options[name as FilterName]!]));
}

export function toListQuery(options: ListOptions): Query & { limit: number } {
  return { ...toFilter(options), limit: options.limit, cursor: options.cursor };
}

export function readCount(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) {
    throw new InvalidArgumentError('It must be a whole number from 1 on.');
  }
  return Number(text);
}
