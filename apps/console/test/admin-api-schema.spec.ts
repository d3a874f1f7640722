import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { adminApiDocument } from './admin-api-document.js';
import { generateSchema } from './generate-schema.js';

const FILE = resolve(import.meta.dirname, '../src/connection/admin-api.schema.ts');

describe("the console's types of the admin API", () => {
  it('are those of the OpenAPI document (`npm run console:types` writes them)', async () => {
    const schema = await generateSchema(await adminApiDocument(), FILE);
    if (process.env.CONSOLE_TYPES === 'write') {
      await writeFile(FILE, schema);
    }
    expect(await readFile(FILE, 'utf8')).toBe(schema);
  });
});
