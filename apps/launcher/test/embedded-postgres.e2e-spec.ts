import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbeddedPostgres } from '../embedded-postgres.ts';

const FAST = { fsync: 'off' };

describe('the embedded PostgreSQL', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'kernel-embedded-'));
  });
  afterEach(() => rm(directory, { recursive: true }));

  async function query(url: string, sql: string): Promise<unknown[]> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query<Record<string, unknown>>(sql);
    await client.end();
    return rows;
  }

  it('keeps its data over a restart', async () => {
    const first = await startEmbeddedPostgres({ directory, settings: FAST });
    await query(first.url, 'create table kept as select 7 as number');
    await first.stop();
    const second = await startEmbeddedPostgres({ directory, settings: FAST });
    expect(await query(second.url, 'table kept')).toEqual([{ number: 7 }]);
    await second.stop();
  });

  it('is joined by other processes, and ended by the last one to leave', async () => {
    const postgres = await startEmbeddedPostgres({ directory, settings: FAST });
    const other = join(directory, 'users', String(process.ppid));
    await writeFile(other, '');
    await postgres.stop();
    expect(await query(postgres.url, 'select 1 as one')).toEqual([{ one: 1 }]);

    const joined = await startEmbeddedPostgres({ directory, settings: FAST });
    expect(joined.url).toBe(postgres.url);
    await rm(other);
    await joined.stop();
    await expect(query(postgres.url, 'select 1')).rejects.toThrow('ECONNREFUSED');
  });

  it('begins again where a first start was cut short', async () => {
    await mkdir(join(directory, 'data.cut'));
    await writeFile(join(directory, 'data.cut', 'PG_VERSION'), '18');
    const postgres = await startEmbeddedPostgres({ directory, settings: FAST });
    expect(await query(postgres.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    await postgres.stop();
  });
});
