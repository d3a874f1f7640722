import { randomBytes, randomUUID } from 'node:crypto';
import { MikroORM } from '@mikro-orm/postgresql';
import { createTestDatabase } from '@kernel/test-support/test-database';
import { MasterKey } from '../src/vault/master-key.js';
import { PostgresSecretVault } from '../src/vault/postgres-secret-vault.js';
import { secretsEntities } from '../src/vault/secret-vault.entities.js';

/** A vault on its own database, with two clocks that the test sets: one for the cache, one for overlaps. */
export async function openVault() {
  const database = await createTestDatabase();
  const orm = await MikroORM.init({ ...database.ormOptions, entities: secretsEntities });
  const clock = { nowMs: 0 };
  const masterKey = newMasterKey();
  const wall = { now: new Date('2026-11-16T12:00:00Z') };
  const options = { now: () => clock.nowMs, clock: { now: () => wall.now } };
  const vault = new PostgresSecretVault(orm.em, masterKey, options);
  return {
    database,
    orm,
    clock,
    wall,
    options,
    masterKey,
    vault,
    tenantId: randomUUID(),
    [Symbol.asyncDispose]: async () => {
      await orm.close(true);
      await database.drop();
    },
  };
}

export function newMasterKey(): MasterKey {
  return MasterKey.fromBase64(randomBytes(32).toString('base64'));
}
