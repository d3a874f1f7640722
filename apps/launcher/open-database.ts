import { join } from 'node:path';
import pg from 'pg';
import { StartFailure } from './describe-start-failure.ts';
import { startEmbeddedPostgres } from './embedded-postgres.ts';
import type { Stoppable } from './stop-all.ts';

const DATABASE = 'kernel';
const DUPLICATE_DATABASE = ['42P04', '23505'];

export interface EmbeddedDatabase extends Stoppable {
  url: string;
}

/** An app's own database in the embedded PostgreSQL, that of the ERP unless named; its data stays in the folder. */
export async function openEmbeddedDatabase(dataFolder: string, name = DATABASE): Promise<EmbeddedDatabase> {
  const postgres = await startEmbeddedPostgres({ directory: join(dataFolder, 'postgres') }).catch((cause: Error) => {
    throw new StartFailure(cause.message, { cause });
  });
  try {
    await createDatabase(postgres.url, name);
  } catch (error) {
    await postgres.stop();
    throw error;
  }
  const url = new URL(postgres.url);
  url.pathname = `/${name}`;
  let stopping: Promise<void> | undefined;
  return {
    name: 'the embedded PostgreSQL',
    url: url.href,
    isOutliving: true,
    // The deadline may ask while a stop is under way.
    stop: () => (stopping ??= postgres.stop()),
  };
}

async function createDatabase(serverUrl: string, name: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  try {
    await client.query(`create database ${name}`);
  } catch (error) {
    if (!DUPLICATE_DATABASE.includes(String((error as { code?: string }).code))) {
      throw error;
    }
  } finally {
    await client.end();
  }
}
