import { rm } from 'node:fs/promises';
import type { EmbeddedPostgres } from '../../apps/launcher/embedded-postgres.ts';
import { printIndexUsage } from './index-usage.ts';

export default async function stopPostgres(): Promise<void> {
  const { testPostgres } = globalThis as unknown as {
    testPostgres: { postgres: EmbeddedPostgres; directory: string };
  };
  await testPostgres.postgres.stop();
  await printIndexUsage();
  await rm(testPostgres.directory, { recursive: true, force: true });
}
