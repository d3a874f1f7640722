import type { Command } from 'commander';
import type { Cli } from '../cli.js';
import { pathOf } from './path-of.js';
import { withExamples } from './examples.js';
import { toListQuery, withList, type ListOptions } from './list-options.js';

const COLUMNS = {
  eventId: 'EVENT',
  type: 'TYPE',
  tenantId: 'TENANT',
  streamKey: 'STREAM',
  status: 'STATUS',
  createdAt: 'CREATED',
};

export function addEvents(program: Command, cli: Cli): void {
  const events = program.command('events').description('what was published');

  const list = events.command('list').description('newest first');
  withExamples(withList(list, ['tenant', 'type', 'stream', 'trace', 'since', 'until']), [
    'events list --type invoice.created.v1 --since 2026-11-16T03:00:00Z',
    'events list --trace <id> --json',
  ]);
  list.action(async (options: ListOptions) =>
    cli.print.page(await cli.api.list('events', toListQuery(options)), COLUMNS),
  );

  const show = events.command('show <eventId>').description('one, with its payload');
  withExamples(show, ['events show <id>', 'events show <id> --json | jq .payload']);
  show.action(async (eventId: string) => cli.print.record(await cli.api.get(pathOf('events', eventId))));
}
