import { LedgerVerifier, SealKey, type LedgerVerification, type SealAnchor } from '@kernel/eventbus';
import { LastingKey, MasterKey } from '@kernel/secrets';
import { MikroORM } from '@mikro-orm/postgresql';

/** Verifies the ledger in a database, without the application. */
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
