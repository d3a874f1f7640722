import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { createTestDatabase, type TestDatabase } from '@kernel/test-support/test-database';
import { ROOT } from './promtool.js';

const runbook = await readFile(join(ROOT, 'docs/runbook.md'), 'utf8');
const statements = [...runbook.matchAll(/-c (?:"([^"]+)"|'([^']+)')/g)].map(([, double, single]) =>
  (double ?? single!).replaceAll(/\s+/g, ' '),
);
/** Read-only statements without placeholders for the operator. */
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

  it('goes to the database as its owner: to the app, sessions of others are hidden, and vacuum does nothing', async () => {
    expect(runbook).not.toMatch(/(psql|pg_dump) "\$DATABASE_URL"/);
    const app = new pg.Client({ connectionString: database.appUrl });
    await app.connect();
    const notices: string[] = [];
    app.on('notice', ({ message }) => notices.push(message!));
    await app.query('vacuum kernel_webhook_delivery');
    await app.end();
    expect(notices).toEqual([expect.stringContaining('permission denied to vacuum')]);
  });

  it.each(looks)('has a statement that the database takes: %s', async (statement) => {
    await expect(database.query(statement)).resolves.toBeInstanceOf(Array);
  });
});
