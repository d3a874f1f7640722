import { defineEntity, p, type EntitySchema } from '@mikro-orm/core';

/** Rows are inserted, ended, revoked and re-encrypted, never deleted: a version number is not used twice. */
export const SecretVersionRecord = defineEntity({
  name: 'SecretVersionRecord',
  tableName: 'kernel_secret_version',
  properties: {
    tenantId: p.uuid().primary(),
    alias: p.text().primary(),
    version: p.integer().primary(),
    state: p.enum(['active', 'revoked']).default('active'),
    ciphertext: p.blob(),
    createdAt: p.datetime(6).defaultRaw('clock_timestamp()'),
    kind: p.enum(['hmac', 'ed25519', 'credential']).default('hmac'),
    liveUntil: p.datetime(6).nullable(),
    keyFingerprint: p.text().nullable(),
  },
});

export const MasterKeyRecord = defineEntity({
  name: 'MasterKeyRecord',
  tableName: 'kernel_master_key',
  properties: {
    fingerprint: p.text().primary(),
    createdAt: p.datetime(6).defaultRaw('clock_timestamp()'),
    lastingKey: p.blob().nullable(),
  },
  uniques: [
    {
      name: 'kernel_master_key_only_one_idx',
      expression: 'create unique index "kernel_master_key_only_one_idx" on "kernel_master_key" ((true))',
    },
  ],
});

/** Widened, so a host's list of entities from several libraries has one simple type. */
export const secretsEntities: EntitySchema[] = [SecretVersionRecord, MasterKeyRecord];
