import { setTimeout as delay } from 'node:timers/promises';
import type { CrashRun } from './crash-run.js';
import type { JournalRow } from './programs/journal.sql.js';
import { findOrderFaults } from './reconcile/order-faults.js';
import { findReceiptFaults } from './reconcile/receipt-faults.js';
import { NOTHING_LEFT, type Remains, selectRemains } from './reconcile/remains.sql.js';
import { selectStateFaults } from './reconcile/state-faults.sql.js';

const DRAIN_MS = 120_000;
const LOOK_EVERY_MS = 100;
const REPORT_EVERY_MS = 30_000;

export interface ReconcileOptions {
  withinMs?: number;
  /** Called every 30 s while something is left. */
  onSlow?: (remains: Remains) => void;
}

export interface Reconciled {
  committed: number;
  received: number;
  /** Repeated receipts, which are allowed. */
  repeats: number;
}

/**
 * The end of every run: waits until the workers have nothing left, then compares the events committed, by the
 * publisher's journal, with the webhooks received, by the receiver's record, and only then checks the kernel's state.
 */
export async function reconcile(run: CrashRun, options: ReconcileOptions = {}): Promise<Reconciled> {
  await drain(run, options);
  const journal = await run.database.query<JournalRow>(
    `select event_id as "eventId", tenant_id as "tenantId", stream_key as "streamKey", type, place from crash_journal`,
  );
  const rolledBack = await run.database.query('select from crash_rolled_back');
  expect(journal.length).toBeGreaterThan(0);
  expect(rolledBack.length).toBeGreaterThan(0);

  const { receipts } = run.receiver;
  expect(findReceiptFaults(journal, run.endpoints, receipts)).toEqual([]);
  expect(findOrderFaults(journal, run.endpoints, receipts)).toEqual([]);
  expect(await selectStateFaults(run.database)).toEqual([]);
  const distinct = new Set(receipts.map(({ endpoint, headers }) => `${endpoint} ${headers['webhook-id'] as string}`));
  return { committed: journal.length, received: receipts.length, repeats: receipts.length - distinct.size };
}

async function drain(run: CrashRun, { withinMs = DRAIN_MS, onSlow }: ReconcileOptions): Promise<void> {
  const deadline = AbortSignal.timeout(withinMs);
  let nextReportAt = performance.now() + REPORT_EVERY_MS;
  let remains: Remains;
  do {
    expect(run.programs.flatMap((program) => program.fault() ?? [])).toEqual([]);
    await delay(LOOK_EVERY_MS);
    remains = await selectRemains(run.database);
    if (performance.now() >= nextReportAt) {
      nextReportAt += REPORT_EVERY_MS;
      onSlow?.(remains);
    }
  } while (hasAny(remains) && !deadline.aborted);
  expect(remains).toEqual(NOTHING_LEFT);
}

function hasAny(remains: Remains): boolean {
  return Object.values(remains).some((count) => count > 0);
}
