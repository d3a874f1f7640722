import { join } from 'node:path';
import pg from 'pg';
import { loadBuiltApps } from './built-apps.ts';
import { chooseDatabases } from './choose-databases.ts';
import { StartFailure } from './describe-start-failure.ts';
import { projectRoot } from './project-root.ts';
import type { Launch } from './start-apps.ts';

export const dataFolder = join(projectRoot, '.data');

type PrepareDatabase = (url: string) => Promise<void>;

/**
 * Settings for an app of another domain: the environment, read as the ERP reads it, the keys of this checkout, and a
 * separate database, because handlers of one app must not get the events of another.
 */
export async function provideDomain(launch: Launch, name: string, prepareDatabase: PrepareDatabase) {
  return (await provideDomainAndReceiver(launch, name, prepareDatabase)).settings;
}

/** Adds the settings of a receiver of its events: a port, and a database without the app's tables. */
export async function provideDomainAndReceiver(launch: Launch, name: string, prepareDatabase: PrepareDatabase) {
  const { erpApp } = await loadBuiltApps();
  const environment = erpApp.readEnvironment(process.env);
  launch.ports = { PORT: environment.port, RECEIVER_PORT: environment.receiverPort };
  const keys = await erpApp.readKeys(environment, dataFolder);
  const own = { name, login: `kernel_${name}` };
  const databases = await chooseDatabases(launch.started, erpApp, environment, dataFolder, own);
  await requireConnection(databases.ownerUrl);
  await prepareDatabase(databases.ownerUrl);
  const { previousMasterKey, host, port, receiverPort, allowHttp, allowedCidrs, logLevel } = environment;
  const appDatabase = await databases.ofApp();
  return {
    settings: { ...keys, ...appDatabase, previousMasterKey, host, port, allowHttp, allowedCidrs, logLevel },
    receiver: async () => ({ host, port: receiverPort, databaseUrl: await databases.ofReceiver() }),
  };
}

async function requireConnection(connectionString: string): Promise<void> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 5_000 });
  try {
    await client.connect();
  } catch (cause) {
    const { message, code } = cause as NodeJS.ErrnoException;
    throw new StartFailure(
      `the database cannot be used (${message || code}): check DATABASE_URL and DATABASE_OWNER_URL`,
      { cause },
    );
  } finally {
    await client.end();
  }
}
