import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';
import { ROOT } from './promtool.js';

const runbook = await readFile(join(ROOT, 'docs/runbook.md'), 'utf8');
const statements = [...runbook.matchAll(/-c (?:"([^"]+)"|'([^']+)')/g)].map(([, double, single]) =>
  (double ?? single!).replaceAll(/\s+/g, ' '),
);
/** What only looks, and names nothing that an operator has to fill in. */
const looks = statements.filter((statement) => statement.startsWith('select') && !statement.includes('<pid>'));

describe('the runbook', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  it('has statements to look with', () => {
    expect(looks.length).toBeGreaterThan(10);
  });

  it.each(looks)('has a statement that the database takes: %s', async (statement) => {
    await expect(database.query(statement)).resolves.toBeInstanceOf(Array);
  });
});
