import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from './command.ts';

interface Packed {
  name: string;
  filename: string;
  files: { path: string }[];
}

/** Package name to tarball. */
export async function packWorkspaces(root: string, destination: string): Promise<Record<string, string>> {
  const { workspaces } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { workspaces: string[] };
  const tarballs: Record<string, string> = {};
  for (const workspace of workspaces) {
    const output = await run('npm', ['pack', '--json', '--pack-destination', destination], {
      cwd: join(root, workspace),
    });
    const packed = readPacked(output);
    checkContents(packed, join(root, workspace));
    tarballs[packed.name] = join(destination, packed.filename);
  }
  return tarballs;
}

/** npm up to 11 answers with a list, later ones with an object by name. */
function readPacked(output: string): Packed {
  return Object.values(JSON.parse(output) as Record<string, Packed>)[0]!;
}

function checkContents({ name, files }: Packed, folder: string): void {
  const paths = files.map(({ path }) => path);
  const missing = ['package.json', 'README.md', 'dist/index.js', 'dist/index.d.ts'].filter(
    (path) => !paths.includes(path),
  );
  if (missing.length > 0) {
    throw new Error(`the tarball of ${name} lacks ${missing.join(', ')}`);
  }
  const foreign = paths.filter((path) => !isWritten(path) && !isBuilt(path, folder));
  if (foreign.length > 0) {
    throw new Error(
      `the tarball of ${name} holds what no source of the product makes: ${foreign.join(', ')} (an old build? remove ${folder}/dist)`,
    );
  }
}

/** Packed as it is in the repository. */
function isWritten(path: string): boolean {
  return path === 'package.json' || path === 'README.md' || path.startsWith('bin/');
}

function isBuilt(path: string, folder: string): boolean {
  const source = path.replace(/^dist\//, 'src/').replace(/(?:\.d\.ts|\.js)$/, '.ts');
  return source !== path && !source.endsWith('spec.ts') && existsSync(join(folder, source));
}
