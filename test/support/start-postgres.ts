import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '../../apps/launcher/embedded-postgres.ts';

/** One temporary PostgreSQL per test run, without durability. */
export default async function startPostgres(): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'kernel-test-postgres-'));
  const postgres = await startEmbeddedPostgres({
    directory,
    settings: { fsync: 'off', full_page_writes: 'off', max_connections: '300', wal_level: 'logical' },
  });
  process.env.TEST_POSTGRES_URL = postgres.url;
  Object.assign(globalThis, { testPostgres: { postgres, directory } });
}
