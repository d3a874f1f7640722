import { spawn } from 'node:child_process';
import { parseArgs } from 'node:util';

const USAGE = 'npm run test:soak -- [--minutes 30] [--seed 1]';

const { minutes, seed } = readOptions();
const jest = spawn(
  process.execPath,
  [
    '--experimental-vm-modules',
    '--no-warnings',
    'node_modules/jest/bin/jest.js',
    '--selectProjects',
    'crash',
    '--testMatch',
    '<rootDir>/test/soak/soak.ts',
  ],
  { stdio: 'inherit', env: { ...process.env, SOAK_MINUTES: String(minutes), SOAK_SEED: String(seed) } },
);
jest.on('close', (code) => (process.exitCode = code ?? 1));

function readOptions(): { minutes: number; seed: number } {
  try {
    const { values } = parseArgs({ options: { minutes: { type: 'string' }, seed: { type: 'string' } } });
    return {
      minutes: positive('--minutes', values.minutes ?? '30'),
      seed: positive('--seed', values.seed ?? String(Date.now() % 1_000_000)),
    };
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`);
    process.exit(2);
  }
}

function positive(name: string, text: string): number {
  const value = Number(text);
  if (!(value > 0 && value < 1e9)) {
    throw new Error(`${name} must be a number above 0, not "${text}"`);
  }
  return value;
}
