import { createHash } from 'node:crypto';
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The inputs of a build. */
const SOURCES = [
  '{apps,libs}/*/src/**/*.{ts,tsx,css,csv}',
  'apps/console/{index.html,vite.config.mjs,public/*}',
  'migrations/src/**/*.ts',
  '{apps,libs}/*/{package,tsconfig.build}.json',
  'migrations/{package,tsconfig.build}.json',
  '{package-lock,nest-cli,tsconfig.base}.json',
];

/** Stays the same while the inputs of a build are the same. */
export async function digestSources(root: string): Promise<string> {
  const paths: string[] = [];
  for await (const path of glob(SOURCES, { cwd: root })) {
    paths.push(path);
  }
  const hash = createHash('sha256');
  for (const path of paths.sort()) {
    hash.update(`${path}\0`).update(await readFile(join(root, path)));
  }
  return hash.digest('hex');
}
