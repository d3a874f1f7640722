import { startKernelApp } from '@kernel/test-support/kernel-app';
import { createTestDatabase } from '@kernel/test-support/test-database';
import { CollectedWarnings } from '../poolers/collected-warnings.js';

/** Warnings at the start of an app on a database prepared by this statement. */
async function warningsAfter(statement: string): Promise<string[]> {
  const database = await createTestDatabase();
  const logger = new CollectedWarnings();
  try {
    await database.query(statement);
    await (await startKernelApp({ role: 'api', database, nest: { logger } })).close();
    return logger.warnings.filter((text) => text.includes('Database roles'));
  } finally {
    await database.drop();
  }
}

describe('the start of an app', () => {
  it.each(['public', 'kernel_app', 'kernel_test_app'])(
    'warns once, and names the fix, if %s may create in the schema of the tables',
    async (role) => {
      expect(await warningsAfter(`grant create on schema public to ${role}`)).toEqual([
        expect.stringContaining('revoke create on schema public from public, kernel_app'),
      ]);
    },
  );

  it('does not warn if the app may not', async () => {
    expect(await warningsAfter('select')).toEqual([]);
  });
});
