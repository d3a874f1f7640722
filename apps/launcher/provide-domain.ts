import { join } from 'node:path';
import pg from 'pg';
import { loadBuiltApps } from './built-apps.ts';
import { StartFailure } from './describe-start-failure.ts';
import { openEmbeddedDatabase } from './open-database.ts';
import { projectRoot } from './project-root.ts';
import type { Launch } from './start-apps.ts';

export const dataFolder = join(projectRoot, '.data');

/**
 * What an app of another domain starts with: the environment, read as the ERP reads it, the keys of this checkout, and a database
 * of its own, because handlers of one app must not get the events of another.
 */
export async function provideDomain(launch: Launch, name: string, prepareDatabase: (url: string) => Promise<void>) {
  const { erpApp } = await loadBuiltApps();
  const environment = erpApp.readEnvironment(process.env);
  launch.ports = { PORT: environment.port, RECEIVER_PORT: environment.receiverPort };
  const keys = await erpApp.readKeys(environment, dataFolder);
  const databaseUrl = environment.databaseUrl ?? (await openEmbedded(launch, name));
  await requireConnection(databaseUrl);
  await prepareDatabase(databaseUrl);
  const { port, allowHttp, allowedCidrs, logLevel } = environment;
  return { ...keys, databaseUrl, port, allowHttp, allowedCidrs, logLevel };
}

async function openEmbedded({ started }: Launch, name: string): Promise<string> {
  const database = await openEmbeddedDatabase(dataFolder, name);
  started.push(database);
  return database.url;
}

async function requireConnection(connectionString: string): Promise<void> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 5_000 });
  try {
    await client.connect();
  } catch (cause) {
    const { message, code } = cause as NodeJS.ErrnoException;
    throw new StartFailure(`the database cannot be used (${message || code}): check DATABASE_URL`, { cause });
  } finally {
    await client.end();
  }
}
