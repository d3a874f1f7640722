import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');

interface Architecture {
  MAY_IMPORT: Record<string, string[]>;
  LAYERS: Record<string, string[]>;
}

const names = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name!);

describe('docs/packages.md', () => {
  let page: string;
  let architecture: Architecture;
  beforeAll(async () => {
    page = await readFile(resolve(ROOT, 'docs/packages.md'), 'utf8');
    architecture = (await import(resolve(ROOT, '.dependency-cruiser.mjs'))) as Architecture;
  });

  const rowsBelow = (heading: string) => {
    const table = page.slice(page.indexOf(heading)).split('\n\n')[0]!;
    const rows = table.split('\n').filter((line) => line.startsWith('| `'));
    return rows.map((row) => row.split('|').slice(1, 3));
  };

  it('lists the packages that each package may import, as the architecture check knows them', () => {
    const documented = rowsBelow('| package ').map(([name, imports]) => [names(name!)[0], names(imports!)]);
    expect(Object.fromEntries(documented)).toEqual({ ...architecture.MAY_IMPORT, migrations: [] });
  });

  it('lists the folders of the engine in the order of the layers', () => {
    const documented = rowsBelow('| folder ').map(([name]) => names(name!)[0]);
    expect(documented).toEqual(architecture.LAYERS['kernel-eventbus']);
  });
});
