import { execFile } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const ROOT = resolve(import.meta.dirname, '../../..');

/** Builds the console from the current sources into a temporary folder. */
export async function buildConsole(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'kernel-console-'));
  const vite = join(ROOT, 'node_modules/vite/bin/vite.js');
  const args = [vite, 'build', join(ROOT, 'apps/console'), '--outDir', folder, '--emptyOutDir'];
  await promisify(execFile)(process.execPath, args, { cwd: ROOT });
  return folder;
}
