import { createTestDatabase } from '@kernel/test-support/test-database';
import { prepareDatabase } from './prepare-database.js';

describe('prepareDatabase', () => {
  it('makes the tables, and takes turns with others that do', async () => {
    const database = await createTestDatabase();
    await Promise.all([1, 2, 3].map(() => prepareDatabase(database.url)));
    expect(await database.query('select from erp_invoice')).toEqual([]);
    await database.drop();
  });

  const server = () => new URL(process.env.TEST_POSTGRES_URL!);
  it.each([
    ['a port where nobody listens', 'ECONNREFUSED', { port: '1' }],
    ['a host that does not exist', 'nowhere.invalid', { hostname: 'nowhere.invalid' }],
    ['a wrong password', 'password authentication failed', { password: 'hunter2' }],
    ['an unknown database', 'does not exist', { pathname: '/nothing' }],
  ])('tells %s in one line without the password', async (_, reason, change) => {
    const url = Object.assign(server(), change);
    const error = await prepareDatabase(url.href).catch((cause: Error) => cause);
    if (!error) {
      throw new Error('it was taken for a good one');
    }
    expect(error).toMatchObject({ code: 'DATABASE_UNREACHABLE' });
    expect(error.message).toContain(reason);
    expect(error.message).toContain('check DATABASE_URL');
    expect(error.message).not.toContain('\n');
    expect(error.message).not.toContain(url.password);
  });
});
