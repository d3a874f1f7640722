import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StartFailure } from './describe-start-failure.ts';
import { projectRoot } from './project-root.ts';
import { digestSources } from './source-digest.ts';

const NEST = join(projectRoot, 'node_modules/@nestjs/cli/bin/nest.js');
const VITE = join(projectRoot, 'node_modules/vite/bin/vite.js');
const CONSOLE = join(projectRoot, 'apps/console');
const PAGES = join(projectRoot, 'libs/kernel-eventbus-console/dist/pages');
/** Inside the build output, so it is deleted with it. */
const STAMP = join(projectRoot, 'dist/apps/source-digest');

/**
 * Compiles every library and app, in the order of nest-cli.json, then the console, unless nothing has changed. Prints
 * only failures.
 */
export async function buildAll(signal: AbortSignal): Promise<void> {
  const digest = await digestSources(projectRoot);
  const isBuilt = digest === (await readFile(STAMP, 'utf8').catch(() => ''));
  if (isBuilt && existsSync(join(PAGES, 'index.html'))) {
    return;
  }
  console.log('Building ...');
  for (const command of [
    [NEST, 'build', '--all'],
    [VITE, 'build', CONSOLE],
  ]) {
    const { code, output } = await run(command, signal);
    signal.throwIfAborted();
    if (code !== 0) {
      throw new StartFailure(`the build failed.\n${output.trim()}`);
    }
  }
  await writeFile(STAMP, digest);
}

function run(args: string[], signal: AbortSignal): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: projectRoot, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const collect = (text: Buffer) => (output += text.toString());
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    const end = () => child.kill('SIGTERM');
    signal.addEventListener('abort', end);
    child.once('error', reject);
    child.once('close', (code) => {
      signal.removeEventListener('abort', end);
      resolve({ code, output });
    });
  });
}
