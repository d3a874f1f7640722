import type { Command } from 'commander';
import type { Cli } from '../cli.js';
import { FailedError, UsageError } from '../cli.errors.js';
import type { Row } from '../connection/admin-api.js';
import { withExamples } from './examples.js';
import { followOperation } from './follow-operation.js';
import { toFilter, toListQuery, withFilters, withList, type FilterOptions, type ListOptions } from './list-options.js';

const COLUMNS = {
  deliveryId: 'DELIVERY',
  endpointId: 'ENDPOINT',
  eventType: 'TYPE',
  attempts: 'ATTEMPTS',
  deadLetterReason: 'REASON',
  lastError: 'LAST ERROR',
  settledAt: 'SINCE',
};

interface ReplayOptions extends FilterOptions {
  reason: string;
  dryRun?: boolean;
  yes?: boolean;
  wait: boolean;
}

export function addDeadLetters(program: Command, cli: Cli): void {
  const dlq = program.command('dlq').description('dead letters: deliveries that were given up');

  const list = dlq.command('list').description('newest first');
  withExamples(withList(list, ['tenant', 'endpoint', 'event', 'type', 'trace', 'since', 'until']), [
    'dlq list --endpoint <id>',
    'dlq list --limit 1000 --json | jq -r ".items[].endpointId" | sort | uniq -c',
  ]);
  list.action(async (options: ListOptions) =>
    cli.print.page(await cli.api.list('deliveries', { ...toListQuery(options), status: 'DLQ' }), COLUMNS),
  );

  const replay = withFilters(dlq.command('replay'), ['tenant', 'endpoint', 'type', 'since', 'until'])
    .description('sends them again, in the background: all, or those of the filter')
    .requiredOption('--reason <text>', 'why; kept in the ledger')
    .option('--dry-run', 'says how many, and replays none')
    .option('--yes', 'does not ask')
    .option('--no-wait', 'does not wait until all are replayed');
  withExamples(replay, [
    'dlq replay --endpoint <id> --reason "receiver repaired" --dry-run',
    'dlq replay --endpoint <id> --reason "receiver repaired" --yes',
  ]);
  replay.action((options: ReplayOptions) => replayAll(cli, options));
}

async function replayAll(cli: Cli, options: ReplayOptions): Promise<void> {
  const { api, print } = cli;
  const request = { filter: { ...toFilter(options), status: 'DLQ' }, reason: options.reason };
  const { count } = await api.post<{ count: number }>('deliveries/replay', { ...request, dryRun: true });
  if (options.dryRun || count === 0) {
    await print.answer({ count }, () => print.text(`${count} dead letters would be replayed`));
    return;
  }
  if (!options.yes) {
    await confirm(cli, count);
  }
  const { operationId } = await api.post<{ operationId: string }>('deliveries/replay', request);
  if (!options.wait) {
    await print.answer({ operationId }, () => print.text(`operation ${operationId} is under way`));
    return;
  }
  const operation = await followOperation(cli, operationId);
  await print.answer(operation, () => printEnd(cli, operation));
  if (operation.state !== 'completed') {
    throw new FailedError(`operation ${operationId} is ${operation.state}`);
  }
}

async function confirm({ terminal }: Cli, count: number): Promise<void> {
  if (!terminal.ask) {
    throw new UsageError(`${count} dead letters would be replayed: say --yes, as nobody can be asked here`);
  }
  const answer = await terminal.ask(`Replay ${count} dead letters? [y/N] `);
  if (!/^y(?:es)?$/i.test(answer.trim())) {
    throw new FailedError('nothing was replayed');
  }
}

async function printEnd({ print }: Cli, { operationId, state, done, failed }: Row): Promise<void> {
  await print.record({ operationId, state, done, failed });
}
