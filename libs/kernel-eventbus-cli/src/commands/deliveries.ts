import type { Command } from 'commander';
import type { Cli } from '../cli.js';
import type { Row } from '../connection/admin-api.js';
import { pathOf } from './path-of.js';
import { withExamples } from './examples.js';
import { toListQuery, withList, type ListOptions } from './list-options.js';

const COLUMNS = {
  deliveryId: 'DELIVERY',
  endpointId: 'ENDPOINT',
  eventType: 'TYPE',
  status: 'STATUS',
  attempts: 'ATTEMPTS',
  errorClass: 'ERROR',
  createdAt: 'CREATED',
};

const ATTEMPT_COLUMNS = {
  attempt: 'ATTEMPT',
  at: 'AT',
  statusCode: 'STATUS',
  latencyMs: 'MS',
  errorClass: 'ERROR',
  responseExcerpt: 'ANSWER',
};

export function addDeliveries(program: Command, cli: Cli): void {
  const deliveries = program.command('deliveries').description('what goes, or went, to an endpoint');

  const list = deliveries.command('list').description('newest first');
  withExamples(withList(list, ['tenant', 'status', 'endpoint', 'event', 'type', 'trace', 'since', 'until']), [
    'deliveries list --status FAILED',
    'deliveries list --event <id>',
  ]);
  list.action(async (options: ListOptions) =>
    cli.print.page(await cli.api.list('deliveries', toListQuery(options)), COLUMNS),
  );

  const show = deliveries.command('show <deliveryId>').description('one, with its attempts and the answers to them');
  withExamples(show, ['deliveries show <id>', 'deliveries show <id> --json | jq .attemptLog']);
  show.action(async (deliveryId: string) => {
    const response = await cli.api.get<Row & { attemptLog: Row[] }>(pathOf('deliveries', deliveryId));
    await cli.print.answer(response, async () => {
      const { attemptLog, ...delivery } = response;
      await cli.print.record(delivery);
      await cli.print.text('');
      await cli.print.table(attemptLog, ATTEMPT_COLUMNS);
    });
  });

  const replay = deliveries
    .command('replay <deliveryId>')
    .description('sends one again that is DELIVERED or in the DLQ')
    .requiredOption('--reason <text>', 'why; kept in the ledger');
  withExamples(replay, ['deliveries replay <id> --reason "receiver repaired, ticket 4711"']);
  replay.action(async (deliveryId: string, { reason }: { reason: string }) =>
    cli.print.record(await cli.api.post(pathOf('deliveries', deliveryId, 'replay'), { reason })),
  );
}
