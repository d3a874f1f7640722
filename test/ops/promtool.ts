import { execFile, spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';

export const ROOT = resolve(import.meta.dirname, '../..');

const isInstalled = spawnSync('promtool', ['--version']).status === 0;
const isRequired = process.env.CI === 'true';

/**
 * A `describe` that is skipped, with a message, if Prometheus is not installed; with CI=true its tests fail instead.
 */
export function describeWithPromtool(name: string, tests: () => void): void {
  if (isInstalled || isRequired) {
    describe(name, tests);
    return;
  }
  process.stderr.write(`skipped: "${name}" needs promtool (Debian: apt-get install prometheus)\n`);
  describe.skip(name, tests);
}

interface Result {
  isOk: boolean;
  output: string;
}

/** Its output, and whether it succeeded. */
export function promtool(...args: string[]): Promise<Result> {
  return promtoolReading('', ...args);
}

/** The same with a text on its standard input. */
export async function promtoolReading(input: string, ...args: string[]): Promise<Result> {
  try {
    const running = promisify(execFile)('promtool', args, { cwd: ROOT });
    running.child.stdin!.on('error', () => undefined).end(input);
    const { stdout, stderr } = await running;
    return { isOk: true, output: stdout + stderr };
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string };
    if (stdout === undefined || stderr === undefined || (error as { code?: unknown }).code === 'ENOENT') {
      throw new Error('promtool is not installed (Debian: apt-get install prometheus)', { cause: error });
    }
    return { isOk: false, output: stdout + stderr };
  }
}
