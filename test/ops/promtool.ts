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

/** Its output, and whether it succeeded. */
export async function promtool(...args: string[]): Promise<{ isOk: boolean; output: string }> {
  try {
    const { stdout, stderr } = await promisify(execFile)('promtool', args, { cwd: ROOT });
    return { isOk: true, output: stdout + stderr };
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string };
    if (stdout === undefined || stderr === undefined || (error as { code?: unknown }).code === 'ENOENT') {
      throw new Error('promtool is not installed (Debian: apt-get install prometheus)', { cause: error });
    }
    return { isOk: false, output: stdout + stderr };
  }
}
