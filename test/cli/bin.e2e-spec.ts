import pg from 'pg';
import { createTestDatabase, type TestDatabase } from '@kernel/test-support/test-database';
import { run, spawnBin } from './command-line.js';

const CLOSED = 'http://127.0.0.1:1';

describe('the bin', () => {
  it('shows its commands, examples and exit codes', async () => {
    const { code, out } = await spawnBin(['--help'], {});
    expect(code).toBe(0);
    expect(out).toMatch(/status[^]*endpoints[^]*dlq[^]*migrate[^]*Examples:[^]*Exit codes: 0 .* 1 .* 2 .* 3 /);
  });

  it('ends with 3 where nothing answers, and with 2 where it is used wrongly', async () => {
    const [unreachable, unknown] = await Promise.all([
      spawnBin(['status', '--url', CLOSED], {}),
      spawnBin(['statsu'], {}),
    ]);
    expect(unreachable).toMatchObject({
      code: 3,
      out: '',
      err: expect.stringContaining(`${CLOSED} cannot be reached`),
    });
    expect(unknown).toMatchObject({ code: 2, err: expect.stringContaining('Did you mean status?') });
  });
});

describe('migrate', () => {
  let database: TestDatabase;
  let empty: URL;
  let server: pg.Client;
  beforeAll(async () => {
    database = await createTestDatabase();
    empty = new URL(database.url);
    empty.pathname += '_empty';
    server = new pg.Client({ connectionString: database.url });
    await server.connect();
    await server.query(`create database ${empty.pathname.slice(1)}`);
  });
  afterAll(async () => {
    await server.query(`drop database ${empty.pathname.slice(1)} with (force)`);
    await server.end();
    await database.drop();
  });

  it('makes the tables of an empty database once, as the owner', async () => {
    const env = { DATABASE_OWNER_URL: empty.href, DATABASE_URL: CLOSED };
    const first = await spawnBin(['migrate', '--json'], env);
    expect([first.code, first.err]).toEqual([0, '']);
    expect(JSON.parse(first.out).applied.length).toBeGreaterThan(20);
    expect(await run(['migrate'], { env })).toMatchObject({ code: 0, out: 'nothing to do: all are applied\n' });
  });

  it('tells a database that is not named from one that is not there', async () => {
    const [unnamed, absent] = await Promise.all([
      run(['migrate'], { env: {} }),
      run(['migrate'], { env: { DATABASE_URL: 'postgres://someone:hunter2@127.0.0.1:1/none' } }),
    ]);
    expect(unnamed).toMatchObject({ code: 2, err: expect.stringContaining('DATABASE_URL is set') });
    expect(absent).toMatchObject({ code: 3, err: expect.stringContaining('the database cannot be reached') });
    expect(absent.err).not.toContain('hunter2');
  });
});
