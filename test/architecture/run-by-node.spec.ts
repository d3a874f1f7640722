import { existsSync } from 'node:fs';
import { glob, readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');

/** Programs that Node runs without a build. It strips types and does not map `.js` to `.ts`, as the compiler does. */
const PROGRAMS = '{apps/launcher,tools,bench}/**/*.{ts,mjs}';
/** Hosts of `smoke:pack`, which compiles them elsewhere. */
const COMPILED = /smoke-pack\/\w+-app\.ts$|\.spec\.ts$|\/test\//;

async function listBrokenImports(): Promise<string[]> {
  const broken: string[] = [];
  for await (const path of glob(PROGRAMS, { cwd: ROOT })) {
    if (COMPILED.test(path)) {
      continue;
    }
    const text = await readFile(resolve(ROOT, path), 'utf8');
    const imports = text.matchAll(/(?:^import (?!type )[^;]*?from|^export [^;]*?from|await import\() ?'(\.[^']+)'/gm);
    for (const [, specifier] of imports) {
      const isBuilt = specifier!.includes('/dist/');
      if (!isBuilt && !existsSync(resolve(ROOT, dirname(path), specifier!))) {
        broken.push(`${path}: ${specifier!}`);
      }
    }
  }
  return broken;
}

it('programs that Node runs without a build import files by their real names', async () => {
  expect(await listBrokenImports()).toEqual([]);
});
