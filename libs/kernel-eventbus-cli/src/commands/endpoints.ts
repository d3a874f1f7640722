import { Option, type Command } from 'commander';
import type { Cli } from '../cli.js';
import { FailedError } from '../cli.errors.js';
import type { Row } from '../connection/admin-api.js';
import { pathOf } from './path-of.js';
import { withExamples } from './examples.js';
import { readCount, toListQuery, withList, type ListOptions } from './list-options.js';
import { readSeconds } from './read-seconds.js';

const COLUMNS = {
  endpointId: 'ENDPOINT',
  tenantId: 'TENANT',
  name: 'NAME',
  url: 'URL',
  subscribedTypes: 'TYPES',
  ordering: 'ORDERING',
  isEnabled: 'ENABLED',
};

interface NewEndpointOptions extends Row {
  tenant: string;
  type: string[];
  internal?: boolean;
}

export function addEndpoints(program: Command, cli: Cli): void {
  const endpoints = program.command('endpoints').description('where events are delivered to');

  const list = endpoints.command('list').description('newest first');
  withExamples(withList(list, ['tenant']), ['endpoints list', 'endpoints list --tenant <id> --limit 500']);
  list.action(async (options: ListOptions) =>
    cli.print.page(await cli.api.list('endpoints', toListQuery(options)), COLUMNS),
  );

  addNew(endpoints, cli);

  const test = endpoints.command('test <endpointId>').description('sends it a kernel.ping.v1 now');
  withExamples(test, ['endpoints test <id> || echo "it does not answer"']);
  test.action(async (endpointId: string) => {
    const response = await cli.api.post(pathOf('endpoints', endpointId, 'test'));
    await cli.print.record(response);
    if (response.delivered !== true) {
      throw new FailedError('the test was not delivered');
    }
  });

  const rotate = endpoints
    .command('rotate-secret <endpointId>')
    .description('a new signing secret, shown this once')
    .option('--overlap-seconds <number>', 'how long the old one signs beside it (default: a day)', readSeconds);
  withExamples(rotate, ['endpoints rotate-secret <id>', 'endpoints rotate-secret <id> --overlap-seconds 0']);
  rotate.action(async (endpointId: string, options: Row) =>
    cli.print.record(await cli.api.post(pathOf('endpoints', endpointId, 'rotate-secret'), options)),
  );

  addSwitch(endpoints, cli, { verb: 'disable', isEnabled: false, description: 'parks what waits for it' });
  addSwitch(endpoints, cli, { verb: 'enable', isEnabled: true, description: 'goes on with what was parked' });
}

function addNew(endpoints: Command, cli: Cli): void {
  const add = endpoints
    .command('add <address>')
    .description('a new one; its signing secret is shown this once')
    .requiredOption('--tenant <id>', 'whose events it gets')
    .requiredOption('--type <types...>', 'event types it gets')
    .option('--name <name>', 'for people')
    .option('--internal', 'gets payloads whole, without a policy')
    .option('--signing-secret-alias <alias>', 'signs with a secret that exists')
    .option('--max-in-flight <number>', 'deliveries at the same time', readCount)
    .option('--timeout-ms <number>', 'for one attempt', readCount)
    .addOption(new Option('--ordering <ordering>', 'stream: in order per stream').choices(['none', 'stream']))
    .addOption(new Option('--on-dead-letter <action>', 'of an ordered stream').choices(['block', 'skip']))
    .addOption(new Option('--signature <kind>', 'HMAC or ed25519').choices(['v1', 'v1a']));
  withExamples(add, [
    'endpoints add https://example.com/hook --tenant <id> --type invoice.created.v1 invoice.posted.v1',
  ]);
  add.action(async (address: string, { tenant, type, internal, ...settings }: NewEndpointOptions) => {
    const isExternal = internal ? { isExternal: false } : {};
    const body = { tenantId: tenant, url: address, subscribedTypes: type, ...settings, ...isExternal };
    await cli.print.record(await cli.api.post('endpoints', body));
  });
}

function addSwitch(
  endpoints: Command,
  cli: Cli,
  { verb, isEnabled, description }: { verb: string; isEnabled: boolean; description: string },
): void {
  const command = endpoints.command(`${verb} <endpointId>`).description(description);
  withExamples(command, [`endpoints ${verb} <id>`]);
  command.action(async (endpointId: string) =>
    cli.print.record(await cli.api.patch(pathOf('endpoints', endpointId), { isEnabled })),
  );
}
