import { defineEntity, p } from '@mikro-orm/core';

/** Seals. Inserted by `seals.sql.ts` only, never updated. */
export const LedgerSealEntity = defineEntity({
  name: 'LedgerSeal',
  tableName: 'kernel_ledger_seal',
  properties: {
    batchNumber: p.integer().primary().autoincrement(false),
    fromTime: p.datetime().columnType('timestamptz'),
    toTime: p.datetime().columnType('timestamptz'),
    entryCount: p.integer(),
    entryIds: p.blob(),
    entryHashes: p.blob(),
    previousSeal: p.blob(),
    seal: p.blob(),
    sealedAt: p.datetime().columnType('timestamptz').defaultRaw('clock_timestamp()'),
    format: p.integer(),
  },
});

/** The last seal: one row, updated with every seal. */
export const LedgerHeadEntity = defineEntity({
  name: 'LedgerHead',
  tableName: 'kernel_ledger_head',
  checks: [{ name: 'kernel_ledger_head_single_check', expression: 'is_head' }],
  properties: {
    isHead: p.boolean().primary().default(true),
    batchNumber: p.integer(),
    seal: p.blob(),
    signature: p.blob(),
  },
});
