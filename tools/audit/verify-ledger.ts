import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { LedgerVerifier, SealKey, type LedgerVerification, type SealAnchor } from '@kernel/eventbus';
import { LastingKey, MasterKey } from '@kernel/secrets';
import { MikroORM } from '@mikro-orm/postgresql';

/** Verifies the ledger in a database: `npm run audit:verify`. Exit code 0: intact, 1: broken, 2: could not be verified. */
export async function verifyLedger(settings: {
  databaseUrl: string;
  masterKey: string;
  anchor?: SealAnchor;
}): Promise<LedgerVerification> {
  const orm = await MikroORM.init({
    clientUrl: settings.databaseUrl,
    entities: [],
    discovery: { warnWhenNoEntities: false },
  });
  try {
    const masterKey = MasterKey.fromBase64(settings.masterKey);
    const key = new SealKey(await new LastingKey().read(orm.em, [masterKey]));
    return await new LedgerVerifier(orm.em, key).verify(settings.anchor);
  } finally {
    await orm.close();
  }
}

if (process.argv[1] === import.meta.filename) {
  const { values } = parseArgs({ options: { anchor: { type: 'string' } } });
  try {
    const databaseUrl = process.env.DATABASE_URL;
    if (!databaseUrl) {
      throw new Error(
        'DATABASE_URL is not set: name the database, or ask the running app by POST /admin/eventbus/audit/verify',
      );
    }
    const masterKey =
      process.env.EVENTBUS_MASTER_KEY ??
      (await readFile(resolve(import.meta.dirname, '../../.data/master-key'), 'utf8'));
    const [batchNumber, seal] = values.anchor?.split(':') ?? [];
    const anchor = batchNumber && seal ? { batchNumber: Number(batchNumber), seal } : undefined;
    const verification = await verifyLedger({ databaseUrl, masterKey, anchor });
    console.log(JSON.stringify(verification, null, 2));
    process.exitCode = verification.isIntact ? 0 : 1;
  } catch (error) {
    console.error(`cannot verify: ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 2;
  }
}
