import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

export interface CommandOptions {
  cwd: string;
  env?: Record<string, string>;
}

/** Ends the command that runs, so that its caller cleans up. */
const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => interrupted.abort());
}

/** Runs to the end and gives the output back; a failure says which command it was and what it printed. */
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

/** What `npm run` tells its scripts about this workspace would lead the other project's npm astray. */
function withoutNpm(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => !/^npm_(?:package|lifecycle|command|config_local_prefix)/.test(name)),
  );
}
