import { Command, CommanderError } from 'commander';
import { Cli } from './cli.js';
import { CliError } from './cli.errors.js';
import { addAudit } from './commands/audit.js';
import { addDeadLetters } from './commands/dead-letters.js';
import { addDeliveries } from './commands/deliveries.js';
import { addEndpoints } from './commands/endpoints.js';
import { addEvents } from './commands/events.js';
import { withExamples } from './commands/examples.js';
import { addLanes } from './commands/lanes.js';
import { addMigrate } from './commands/migrate.js';
import { addStatus } from './commands/status.js';
import { addUpkeep } from './commands/upkeep.js';
import { DEFAULT_TOKEN_FILE, DEFAULT_URL } from './connection/read-connection.js';
import { EXIT_CODES } from './exit-codes.js';
import { toPlainText } from './output/plain-text.js';
import { processTerminal, type Terminal } from './terminal.js';

/** Runs one command and returns its exit code: see EXIT_CODES. */
export async function runCli(args: string[], terminal: Terminal = processTerminal()): Promise<number> {
  try {
    await makeProgram(terminal).parseAsync(args, { from: 'user' });
    return EXIT_CODES.ok;
  } catch (error) {
    return tell(error, terminal);
  }
}

function makeProgram(terminal: Terminal): Command {
  const program = new Command('kernel-eventbus')
    .description('Looks at an event bus and repairs it, through the admin API of a running app.')
    .option('--url <address>', `the app (default: EVENTBUS_URL, else ${DEFAULT_URL})`)
    .option('--token-file <path>', `holds the admin token (default: EVENTBUS_ADMIN_TOKEN, else ${DEFAULT_TOKEN_FILE})`)
    .option('--json', 'answers as JSON, for scripts')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ writeOut: (text) => void terminal.out(text), writeErr: (text) => terminal.err(text) })
    .exitOverride();
  withExamples(program, ['status', 'dlq replay --endpoint <id> --reason "receiver repaired"', 'events list --json']);
  program.addHelpText('after', '\nExit codes: 0 done, 1 refused or not well, 2 wrong usage, 3 not reachable.');
  const cli = new Cli(program, terminal);
  for (const add of COMMANDS) {
    add(program, cli);
  }
  return program;
}

const COMMANDS = [
  addStatus,
  addEndpoints,
  addEvents,
  addDeliveries,
  addDeadLetters,
  addLanes,
  addAudit,
  addMigrate,
  addUpkeep,
];

function tell(error: unknown, terminal: Terminal): number {
  if (error instanceof CommanderError) {
    return error.exitCode === 0 ? EXIT_CODES.ok : EXIT_CODES.usage;
  }
  if (error instanceof CliError) {
    terminal.err(`kernel-eventbus: ${toPlainText(error.message)}\n`);
    return error.exitCode;
  }
  // The reader closed the pipe: `kernel-eventbus events list | head`.
  if ((error as { code?: unknown }).code === 'EPIPE') {
    return EXIT_CODES.ok;
  }
  throw error;
}
