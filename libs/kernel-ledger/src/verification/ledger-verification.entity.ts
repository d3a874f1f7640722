import { defineEntity, p } from '@mikro-orm/core';

/** Verification progress and finding: one row. Accessed only by `verification-state.sql.ts`. */
export const LedgerVerificationEntity = defineEntity({
  name: 'LedgerVerificationState',
  tableName: 'kernel_ledger_verification',
  checks: [{ name: 'kernel_ledger_verification_single_check', expression: 'is_single' }],
  properties: {
    isSingle: p.boolean().primary().default(true),
    batchNumber: p.integer(),
    toTime: p.datetime().columnType('timestamptz'),
    seal: p.blob(),
    beganAt: p.datetime().columnType('timestamptz'),
    endedAt: p.datetime().columnType('timestamptz').nullable(),
    signature: p.blob(),
    fault: p.text().nullable(),
    faultBatchNumber: p.integer().nullable(),
    faultEntryId: p.uuid().nullable(),
    faultSeenAt: p.datetime().columnType('timestamptz').nullable(),
    isFaultOrdered: p.boolean().default(false),
    /** Counted by a trigger. */
    round: p.bigint(),
  },
});
