import { join } from 'node:path';
import { loadBuiltApps } from './built-apps.ts';
import { describeStartFailure, StartFailure } from './describe-start-failure.ts';
import { openEmbeddedDatabase } from './open-database.ts';
import { projectRoot } from './project-root.ts';

const dataFolder = join(projectRoot, '.data');

/** `npm run rotate-master-key`: re-encrypts all secrets from EVENTBUS_MASTER_KEY_PREVIOUS to EVENTBUS_MASTER_KEY. */
try {
  await rotate();
} catch (error) {
  process.stderr.write(`${describeStartFailure(error).replace('Cannot start', 'The master key is not changed')}\n`);
  process.exitCode = 1;
}

async function rotate(): Promise<void> {
  const { erpApp } = await loadBuiltApps();
  const { masterKey, previousMasterKey, databaseUrl, databaseOwnerUrl } = erpApp.readEnvironment(process.env);
  if (!masterKey || !previousMasterKey || masterKey === previousMasterKey) {
    throw new StartFailure(
      'set EVENTBUS_MASTER_KEY to the new key (openssl rand -base64 32) and EVENTBUS_MASTER_KEY_PREVIOUS to the one that ' +
        `the database has, another one (where none was set it is in ${join(dataFolder, 'master-key')})`,
    );
  }
  const embedded = databaseUrl ? undefined : await openEmbeddedDatabase(dataFolder);
  const url = databaseOwnerUrl ?? databaseUrl ?? embedded!.ownerUrl;
  try {
    await erpApp.prepareDatabase(url);
    const { reencrypted } = await erpApp.rotateDatabaseKey({
      ...{ databaseUrl: url, masterKey, previousMasterKey },
      onProgress: ({ done, total }) => console.log(`encrypted ${done} of ${total} versions of secrets anew`),
    });
    console.log(
      `The database has the new master key; ${reencrypted} versions of secrets were encrypted anew. Start every process ` +
        'with EVENTBUS_MASTER_KEY alone from now on, and put the previous key out of use where it is kept ' +
        `(${join(dataFolder, 'master-key')} holds the one that a plain npm start uses).`,
    );
  } finally {
    await embedded?.stop();
  }
}
