import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { runCli, type Terminal } from '@kernel/eventbus-cli';

const ROOT = resolve(import.meta.dirname, '../..');
const BIN = resolve(ROOT, 'libs/kernel-eventbus-cli/bin/kernel-eventbus.js');
const KERNEL_SOURCES = new URL('../crash/programs/kernel-sources.ts', import.meta.url).href;

export interface Ended {
  code: number;
  out: string;
  err: string;
}

/** In this process: fast, and included in the coverage. */
export async function run(args: string[], place: Partial<Terminal> & Pick<Terminal, 'env'>): Promise<Ended> {
  let [out, err] = ['', ''];
  const code = await runCli(args, {
    directory: ROOT,
    out: (text) => void (out += text),
    err: (text) => void (err += text),
    isWatched: false,
    ...place,
  });
  return { code, out, err };
}

/** The bin as npx starts it, with the sources of this checkout instead of a build. */
export function spawnBin(args: string[], env: Record<string, string>): Promise<Ended> {
  return new Promise((done) => {
    const child = execFile(
      process.execPath,
      ['--import', KERNEL_SOURCES, BIN, ...args],
      { env: { PATH: process.env.PATH, ...env }, cwd: ROOT },
      (_error, out, err) => done({ code: child.exitCode ?? -1, out, err }),
    );
  });
}
