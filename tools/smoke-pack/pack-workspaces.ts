import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from './command.ts';

const EXPECTED = ['package.json', 'README.md', 'dist/index.js', 'dist/index.d.ts'];
/** Built by Vite from apps/console. */
const PAGES = 'dist/pages/';

interface Packed {
  name: string;
  filename: string;
  files: { path: string }[];
}

/** Package name to tarball, without private packages. */
export async function packWorkspaces(root: string, destination: string): Promise<Record<string, string>> {
  const { workspaces = [] } = await readManifest(root);
  const tarballs: Record<string, string> = {};
  for (const workspace of workspaces) {
    if ((await readManifest(join(root, workspace))).private) {
      continue;
    }
    const output = await run('npm', ['pack', '--json', '--pack-destination', destination], {
      cwd: join(root, workspace),
    });
    const packed = readPacked(output);
    checkContents(packed, join(root, workspace));
    tarballs[packed.name] = join(destination, packed.filename);
  }
  return tarballs;
}

async function readManifest(folder: string): Promise<{ workspaces?: string[]; private?: boolean }> {
  return JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as { workspaces?: string[] };
}

/** npm up to 11 prints a list, later versions an object by name. */
function readPacked(output: string): Packed {
  return Object.values(JSON.parse(output) as Record<string, Packed>)[0]!;
}

function checkContents({ name, files }: Packed, folder: string): void {
  const paths = files.map(({ path }) => path);
  const missing = [...EXPECTED, ...(hasPages(folder) ? [`${PAGES}index.html`] : [])].filter(
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

/** True for files packed unchanged from the repository. */
function isWritten(path: string): boolean {
  return path === 'package.json' || path === 'README.md' || path.startsWith('bin/');
}

function hasPages(folder: string): boolean {
  return folder.endsWith('kernel-eventbus-console');
}

function isBuilt(path: string, folder: string): boolean {
  if (hasPages(folder) && path.startsWith(PAGES)) {
    return true;
  }
  const source = path.replace(/^dist\//, 'src/').replace(/(?:\.d\.ts|\.js)$/, '.ts');
  return source !== path && !source.endsWith('spec.ts') && existsSync(join(folder, source));
}
