import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildAll } from '../../apps/launcher/build-all.ts';
import { openEmbeddedDatabase } from '../../apps/launcher/open-database.ts';
import { projectRoot } from '../../apps/launcher/project-root.ts';
import { readVerifyArguments } from './verify-arguments.ts';

const dataFolder = join(projectRoot, '.data');
const { DATABASE_URL, EVENTBUS_MASTER_KEY } = process.env;

/** `npm run audit:verify`. Exit code 0: intact, 1: broken, 2: could not be verified. */
try {
  // Missing or mistyped arguments are reported before the build.
  const { anchor } = readVerifyArguments(process.argv.slice(2));
  const masterKey = EVENTBUS_MASTER_KEY || (await readMasterKey());
  await buildAll(new AbortController().signal);
  const { verifyLedger } = await import('./verify-ledger.ts');
  const embedded = DATABASE_URL ? undefined : await openEmbeddedDatabase(dataFolder);
  try {
    const databaseUrl = DATABASE_URL || embedded!.ownerUrl;
    const verification = await verifyLedger({ databaseUrl, masterKey, anchor });
    console.log(JSON.stringify(verification, null, 2));
    process.exitCode = verification.isIntact ? 0 : 1;
  } finally {
    await embedded?.stop();
  }
} catch (error) {
  console.error(`cannot verify: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 2;
}

async function readMasterKey(): Promise<string> {
  const path = join(dataFolder, 'master-key');
  return readFile(path, 'utf8').catch(() => {
    throw new Error(
      `there is no master key: set EVENTBUS_MASTER_KEY, and DATABASE_URL unless the ledger is in the embedded database ` +
        `(whose key would be in ${path})`,
    );
  });
}
