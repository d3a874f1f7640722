import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

describe('migrations', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  it('clones the migrated template', async () => {
    expect(await database.query('select 1 as one from kernel_outbox_event')).toEqual([]);
  });
});
