import { glob, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');
const TESTS = ['libs', 'apps', 'test', 'migrations'].map((folder) => `${folder}/**/*spec.ts`);
const ID = /\[((?:KER|KFM|ADR|AC|CARD|FR|SC|EVI)-?[0-9A-Z.]+[a-z]?)\]/g;

describe('docs/requirements.md', () => {
  it('explains every id that the title of a test carries', async () => {
    const text = await readFile(join(ROOT, 'docs/requirements.md'), 'utf8');
    const explained = [...text.matchAll(/^\| ([A-Z]+-?[0-9A-Z.]+[a-z]?) +\|/gm)].map(([, id]) => id!);
    const used = new Set<string>();
    for await (const file of glob(TESTS, { cwd: ROOT, exclude: (name) => /node_modules|dist/.test(name) })) {
      const test = await readFile(join(ROOT, file), 'utf8');
      [...test.matchAll(ID)].forEach(([, id]) => used.add(id!));
    }
    expect(used.size).toBeGreaterThan(100);
    const isExplained = (id: string) => explained.some((one) => one === id || one.replace(/[a-z]$/, '') === id);
    expect([...used].filter((id) => !isExplained(id))).toEqual([]);
  });
});
