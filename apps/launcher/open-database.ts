import { join } from 'node:path';
import pg from 'pg';
import { StartFailure } from './describe-start-failure.ts';
import { startEmbeddedPostgres } from './embedded-postgres.ts';
import { provideLogin } from './provide-login.ts';
import type { Stoppable } from './stop-all.ts';

const RECEIVER = 'receiver';
const DUPLICATE_DATABASE = ['42P04', '23505'];

/** The database of one app. */
export interface DatabaseOfApp {
  name: string;
  /** The app's login role. */
  login: string;
}

const ERP: DatabaseOfApp = { name: 'kernel', login: 'kernel_erp' };

export interface EmbeddedDatabase extends Stoppable {
  /** Connects as the superuser, which owns the tables and migrates them. */
  ownerUrl: string;
  /**
   * Connects as the app, which owns nothing. Needs migrated tables, because the migrations create the role that grants
   * its rights.
   */
  provideAppUrl(): Promise<string>;
  /** A separate database for the receiver: it stands for a customer, who sees none of the app's data. */
  provideReceiverUrl(): Promise<string>;
}

/** The database of an app in the embedded PostgreSQL, by default the ERP's; its data stays in the folder. */
export async function openEmbeddedDatabase(dataFolder: string, { name, login } = ERP): Promise<EmbeddedDatabase> {
  const postgres = await startEmbeddedPostgres({ directory: join(dataFolder, 'postgres') }).catch((cause: Error) => {
    throw new StartFailure(cause.message, { cause });
  });
  try {
    await createDatabase(postgres.url, name);
  } catch (error) {
    await postgres.stop();
    throw error;
  }
  const ownerUrl = inDatabase(postgres.url, name);
  let stopping: Promise<void> | undefined;
  return {
    name: 'the embedded PostgreSQL',
    ownerUrl,
    provideAppUrl: () => provideLogin(ownerUrl, login, 'in role kernel_app'),
    provideReceiverUrl: async () => {
      const loginUrl = await provideLogin(ownerUrl, RECEIVER);
      await createDatabase(postgres.url, RECEIVER, RECEIVER);
      return inDatabase(loginUrl, RECEIVER);
    },
    isOutliving: true,
    // The deadline may call it while a stop is in progress.
    stop: () => (stopping ??= postgres.stop()),
  };
}

async function createDatabase(serverUrl: string, name: string, owner = 'default'): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  try {
    await client.query(`create database ${name} owner ${owner}`);
  } catch (error) {
    if (!DUPLICATE_DATABASE.includes(String((error as { code?: string }).code))) {
      throw error;
    }
  } finally {
    await client.end();
  }
}

function inDatabase(serverUrl: string, name: string): string {
  return Object.assign(new URL(serverUrl), { pathname: `/${name}` }).href;
}
