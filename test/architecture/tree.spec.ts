import { readdir, readFile } from 'node:fs/promises';
import { relative, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');
const NOT_OURS = new Set(['node_modules', 'dist', 'coverage', '.git', '.data']);
/** A folder named after a kind says nothing about its content. */
const KINDS = new Set(['utils', 'util', 'common', 'shared', 'helpers', 'interfaces', 'services', 'types', 'classes']);

async function listFolders(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory() && !NOT_OURS.has(entry.name));
  const nested = await Promise.all(folders.map(({ name }) => listFolders(resolve(folder, name))));
  return [...folders.map(({ name }) => relative(ROOT, resolve(folder, name))), ...nested.flat()];
}

describe('the tree', () => {
  it('has folders for stages and capabilities, never for kinds', async () => {
    const folders = await listFolders(ROOT);
    expect(folders).toContain('libs/kernel-eventbus/src/outbox');
    expect(folders.filter((folder) => KINDS.has(folder.split('/').at(-1)!))).toEqual([]);
  });

  it('[FR-027] has nothing in the engine that processes streams or steers workflows: it broadcasts', async () => {
    const engine = resolve(ROOT, 'libs/kernel-eventbus/src');
    const files = await readdir(engine, { recursive: true });
    const outOfScope = /window|projection|workflow|saga|state-machine|stream-processor/i;
    expect(files.filter((file) => outOfScope.test(file))).toEqual([]);
    expect(await readFile(resolve(engine, 'index.ts'), 'utf8')).not.toMatch(outOfScope);
  });

  it('[CARD-2] has the top level of the design card', async () => {
    expect(await readdir(ROOT)).toEqual(
      expect.arrayContaining([
        'package.json',
        'nest-cli.json',
        'tsconfig.json',
        'apps',
        'libs',
        'test',
        'migrations',
        'docker-compose.yml',
        'README.md',
      ]),
    );
  });
});
