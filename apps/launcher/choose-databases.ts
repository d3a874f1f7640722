import type { ErpApp } from './built-apps.ts';
import { openEmbeddedDatabase, type DatabaseOfApp } from './open-database.ts';
import type { Stoppable } from './stop-all.ts';

export interface Databases {
  /** For migrations. */
  ownerUrl: string;
  /** Connection of the app; needs migrated tables. */
  ofApp(): Promise<{ databaseUrl: string; databaseRole?: string }>;
  ofReceiver(): Promise<string>;
}

/** The databases of the environment, else the embedded ones, which are started here. */
export async function chooseDatabases(
  started: Stoppable[],
  erpApp: ErpApp,
  { databaseUrl, databaseOwnerUrl }: { databaseUrl?: string; databaseOwnerUrl?: string },
  dataFolder: string,
  app?: DatabaseOfApp,
): Promise<Databases> {
  if (databaseUrl === undefined) {
    const embedded = await openEmbeddedDatabase(dataFolder, app);
    started.push(embedded);
    return {
      ownerUrl: embedded.ownerUrl,
      ofApp: async () => ({ databaseUrl: await embedded.provideAppUrl() }),
      ofReceiver: () => embedded.provideReceiverUrl(),
    };
  }
  const ownerUrl = databaseOwnerUrl ?? databaseUrl;
  return {
    ownerUrl,
    ofApp: async () => ({ databaseUrl, databaseRole: await erpApp.findAppRole(databaseUrl) }),
    ofReceiver: () => Promise.resolve(ownerUrl),
  };
}
