import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

export interface CommandOptions {
  cwd: string;
  env?: Record<string, string>;
}

/** Ends the running command, so its caller cleans up. */
const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => interrupted.abort());
}

/** Runs to completion and returns the output; a failure names the command and its output. */
export async function run(file: string, args: string[], { cwd, env }: CommandOptions): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(file, args, {
      cwd,
      env: { ...withoutNpm(process.env), ...env },
      maxBuffer: 64 * 1024 * 1024,
      timeout: 600_000,
      signal: interrupted.signal,
      shell: process.platform === 'win32',
    });
    return stdout;
  } catch (cause) {
    const { stdout = '', stderr = '' } = cause as { stdout?: string; stderr?: string };
    throw new Error(`\`${[file, ...args].join(' ')}\` in ${cwd}\n${stdout}${stderr}`.trim(), { cause });
  }
}

/** The variables that `npm run` sets for this workspace would mislead the other project's npm. */
function withoutNpm(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => !/^npm_(?:package|lifecycle|command|config_local_prefix)/.test(name)),
  );
}
