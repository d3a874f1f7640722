import { appendEntries, ledgerEntry, LedgerSealer, LedgerVerifier, KERNEL_ACTOR } from '@kernel/ledger';
import type { KernelApp } from './kernel-app.js';

/** The ledger of an app whose own sealer does not run. */
export class SealedLedger {
  constructor(private readonly kernel: KernelApp) {}

  get sealer(): LedgerSealer {
    return this.kernel.app.get(LedgerSealer);
  }

  get verifier(): LedgerVerifier {
    return this.kernel.app.get(LedgerVerifier);
  }

  /** Appends entries, one after the other, and returns their ids. */
  async append(count: number, em = this.kernel.em.fork()): Promise<string[]> {
    const entries = Array.from({ length: count }, (_, n) =>
      ledgerEntry({
        kind: 'attempt',
        actor: KERNEL_ACTOR,
        traceId: `trace-${n}000`,
        reason: `reason "${n}" \u2028 ü`,
        detail: { n, ratio: 1.5 },
        attributesJson: '{"careLabel": "restricted"}',
      }),
    );
    await appendEntries(em.getKysely(), entries);
    return entries.map(({ entryId }) => entryId);
  }

  /** Appends that many seals of four entries each. Returns the ids of all entries, in order. */
  async appendSealed(batches: number): Promise<string[]> {
    const ids: string[] = [];
    for (let n = 0; n < batches; n++) {
      ids.push(...(await this.append(4)));
      await this.sealer.seal();
    }
    return ids;
  }

  /** Like an owner of the database: bypasses triggers. */
  async tamper(sql: string): Promise<void> {
    await this.kernel.database.query(`begin; set local session_replication_role = replica; ${sql}; commit`);
  }

  clear(): Promise<void> {
    return this.tamper(
      'truncate kernel_ledger_entry, kernel_ledger_seal, kernel_ledger_head, kernel_ledger_verification',
    );
  }
}
