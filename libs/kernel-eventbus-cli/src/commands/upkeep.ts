import type { Command } from 'commander';
import type { Cli } from '../cli.js';
import type { Row } from '../connection/admin-api.js';
import { withExamples } from './examples.js';
import { toListQuery, withList, type ListOptions } from './list-options.js';

const PARTITION_COLUMNS = {
  name: 'PARTITION',
  from: 'FROM',
  to: 'TO',
  state: 'STATE',
  estimatedEvents: 'EVENTS',
  bytes: 'BYTES',
};

const PRUNED_COLUMNS = {
  name: 'PARTITION',
  from: 'FROM',
  to: 'TO',
  outcome: 'OUTCOME',
  events: 'EVENTS',
  pending: 'PENDING',
  retained: 'RETAINED',
};

interface Pruned extends Row {
  partitions: Row[];
  deliveries: { delivered: number; deadLetters: number };
  defaultEvents: number;
  isComplete: boolean;
}

export function addUpkeep(program: Command, cli: Cli): void {
  const partitions = withList(program.command('partitions'), []).description('the partitions of the outbox');
  withExamples(partitions, ['partitions', 'partitions --json | jq ".items[] | select(.state == \\"ahead\\")"']);
  partitions.action(async (options: ListOptions) =>
    cli.print.page(await cli.api.list('partitions', toListQuery(options)), PARTITION_COLUMNS),
  );

  const prune = program
    .command('prune')
    .description('removes now what is settled and past its retention')
    .option('--dry-run', 'says what would go, and removes nothing');
  withExamples(prune, ['prune --dry-run', 'prune']);
  prune.action(async ({ dryRun = false }: { dryRun?: boolean }) => {
    const pruned = await cli.api.post<Pruned>('prune', { dryRun });
    await cli.print.answer(pruned, () => printPruned(cli, pruned, dryRun));
  });
}

async function printPruned({ print }: Cli, pruned: Pruned, isDryRun: boolean): Promise<void> {
  const { delivered, deadLetters } = pruned.deliveries;
  await print.text(
    `${isDryRun ? 'would go' : 'gone'}: ${delivered} delivered, ${deadLetters} dead letters, ${pruned.defaultEvents} events of the default partition; partitions:`,
  );
  await print.table(pruned.partitions, PRUNED_COLUMNS);
  if (!pruned.isComplete) {
    print.note('there may be more: prune again, or leave it to the schedule');
  }
}
