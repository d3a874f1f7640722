import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { UsageError } from './usage.error.js';

export type Command =
  { name: 'run'; inputFile: string; version: string } | { name: 'catalogue' } | { name: 'records' } | { name: 'serve' };

const SHIPPED_INPUT = join(import.meta.dirname, '../ingest/river-gauges.csv');
const VERSION = /^v\d{1,4}\.\d{1,4}\.\d{1,4}$/;

/** The default command is `run`. */
export function parseCommand(args: readonly string[]): Command {
  const { positionals, values } = parse(args);
  const [name = 'run', ...rest] = positionals;
  if (rest.length > 0) {
    throw new UsageError(`${name} takes no "${rest[0]}"`);
  }
  switch (name) {
    case 'run':
      return { name, inputFile: values.input ?? SHIPPED_INPUT, version: checkVersion(values['dataset-version']) };
    case 'catalogue':
    case 'records':
    case 'serve':
      return { name };
    default:
      throw new UsageError(`there is no command "${name}"`);
  }
}

function parse(args: readonly string[]) {
  const options = { input: { type: 'string' }, 'dataset-version': { type: 'string' } } as const;
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function checkVersion(version = 'v1.0.0'): string {
  if (!VERSION.test(version)) {
    throw new UsageError(`--dataset-version is ${JSON.stringify(version)}; it may be a version like v1.0.0`);
  }
  return version;
}
