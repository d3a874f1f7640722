import { startKernelApp } from '@kernel/test-support/kernel-app';
import { createTestDatabase, type TestDatabase } from '@kernel/test-support/test-database';
import pg from 'pg';

const STARTS = 5;

describe('a start on a database that was not migrated', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await client.query('alter schema public rename to elsewhere; create schema public');
    await client.end();
  });
  afterAll(() => database.drop());

  it('says at every start that the tables are missing and how to make them', async () => {
    const errors: unknown[] = [];
    for (let start = 0; start < STARTS; start++) {
      const started = startKernelApp({ database });
      errors.push(
        await started.then(
          () => undefined,
          (error: unknown) => error,
        ),
      );
    }
    expect(errors).toEqual(Array(STARTS).fill(expect.objectContaining({ name: 'MigrationsMissingError' })));
    expect((errors[0] as Error).message).toContain('migrate');
  });
});
