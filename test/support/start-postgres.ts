import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '../../apps/launcher/embedded-postgres.ts';

/** One throw-away PostgreSQL per test run; what survives a power cut does not matter to it. */
export default async function startPostgres(): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'kernel-test-postgres-'));
  const postgres = await startEmbeddedPostgres({
    directory,
    settings: { fsync: 'off', full_page_writes: 'off', max_connections: '300', wal_level: 'logical' },
  });
  process.env.TEST_POSTGRES_URL = postgres.url;
  Object.assign(globalThis, { testPostgres: { postgres, directory } });
}
