import type { Command } from 'commander';
import type { Cli } from '../cli.js';
import { pathOf } from './path-of.js';
import { withExamples } from './examples.js';
import { toListQuery, withList, type ListOptions } from './list-options.js';

const COLUMNS = {
  laneId: 'LANE',
  endpointId: 'ENDPOINT',
  streamKey: 'STREAM',
  isBlocked: 'BLOCKED',
  blockedAt: 'SINCE',
  blockedBy: 'BY DELIVERY',
  waiting: 'WAITING',
};

export function addLanes(program: Command, cli: Cli): void {
  const lanes = program.command('lanes').description('ordered streams; without more, those that are blocked');
  withExamples(lanes, ['lanes', 'lanes list --all', 'lanes skip <id> --reason "the receiver will never take it"']);

  const list = lanes
    .command('list', { isDefault: true })
    .description('those behind a dead letter')
    .option('--all', 'also those that are not blocked');
  withExamples(withList(list, ['tenant', 'endpoint']), ['lanes list --endpoint <id>']);
  list.action(async ({ all, ...options }: ListOptions & { all?: boolean }) => {
    const query = { ...toListQuery(options), ...(!all && { blocked: 'true' }) };
    await cli.print.page(await cli.api.list('lanes', query), COLUMNS);
  });

  const skip = lanes
    .command('skip <laneId>')
    .description('goes on behind the dead letter that blocks it')
    .requiredOption('--reason <text>', 'why; kept in the ledger');
  withExamples(skip, ['lanes skip <id> --reason "the receiver will never take it"']);
  skip.action(async (laneId: string, { reason }: { reason: string }) =>
    cli.print.record(await cli.api.post(pathOf('lanes', laneId, 'skip'), { reason })),
  );
}
