import type { Command } from 'commander';
import type { Cli } from '../cli.js';
import { FailedError } from '../cli.errors.js';
import { askHealth, type AdminApi, type Query, type Row } from '../connection/admin-api.js';
import { withExamples } from './examples.js';

interface Health {
  status: string;
  details: Record<string, Row>;
}

/** Counting stops here: a larger number adds nothing. */
const COUNTED = 200;

export function addStatus(program: Command, cli: Cli): void {
  const status = program.command('status').description('health, and how much there is of what matters');
  withExamples(status, ['status', 'status --json | jq .counts.deadLetters']);
  status.action(async () => {
    const health = (await askHealth(cli.url)) as unknown as Health;
    const isReady = health.status === 'ok';
    const counts = isReady ? await countAll(cli.api) : {};
    await cli.print.answer({ health: { ...health }, counts }, () => printStatus(cli, health, counts));
    if (!isReady) {
      throw new FailedError(`the app is not ready: ${namesOf(health, 'down').join(', ') || health.status}`);
    }
  });
}

/** A number, or "200+". */
async function countAll(api: AdminApi): Promise<Row> {
  const count = async (path: string, query: Query = {}) => {
    const { items, nextCursor } = await api.list(path, { ...query, limit: COUNTED });
    return nextCursor === null ? items.length : `${COUNTED}+`;
  };
  return {
    endpoints: await count('endpoints'),
    pending: await count('deliveries', { status: 'PENDING' }),
    failed: await count('deliveries', { status: 'FAILED' }),
    deadLetters: await count('deliveries', { status: 'DLQ' }),
    blockedLanes: await count('lanes', { blocked: 'true' }),
  };
}

async function printStatus(cli: Cli, health: Health, counts: Row): Promise<void> {
  const degraded = namesOf(health, 'degraded');
  await cli.print.text(`${health.status}${degraded.length > 0 ? `, degraded: ${degraded.join(', ')}` : ''}\n`);
  const rows = Object.entries(health.details ?? {}).map(([name, { status, ...facts }]) => ({
    name,
    status,
    facts: Object.keys(facts).length > 0 ? facts : undefined,
  }));
  await cli.print.table(rows, { name: 'PART', status: 'STATUS', facts: 'FACTS' });
  if (Object.keys(counts).length > 0) {
    await cli.print.text('');
    await cli.print.record(counts);
  }
}

function namesOf({ details }: Health, status: string): string[] {
  return Object.entries(details ?? {}).flatMap(([name, part]) => (part.status === status ? [name] : []));
}
