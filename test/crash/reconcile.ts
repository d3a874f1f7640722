import { setTimeout as delay } from 'node:timers/promises';
import type { CrashRun } from './crash-run.js';
import type { JournalRow } from './programs/journal.sql.js';
import { findOrderFaults } from './reconcile/order-faults.js';
import { findReceiptFaults } from './reconcile/receipt-faults.js';
import { NOTHING_LEFT, selectRemains } from './reconcile/remains.sql.js';
import { selectStateFaults } from './reconcile/state-faults.sql.js';

const DRAIN_MS = 120_000;
const LOOK_EVERY_MS = 100;

export interface Reconciled {
  committed: number;
  received: number;
  /** What came more than once, which is allowed. */
  repeats: number;
}

/**
 * How every run ends: waits until the workers have nothing left, then holds what the publisher committed, by its own
 * journal, against what the receiver got, by its own record, and only then looks at what the kernel says of itself.
 */
export async function reconcile(run: CrashRun, { withinMs = DRAIN_MS } = {}): Promise<Reconciled> {
  await drain(run, withinMs);
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

async function drain(run: CrashRun, withinMs: number): Promise<void> {
  const isDrained = async () => {
    expect(run.programs.flatMap((program) => program.fault() ?? [])).toEqual([]);
    await delay(LOOK_EVERY_MS);
    return Object.values(await selectRemains(run.database)).every((count) => count === 0);
  };
  const deadline = AbortSignal.timeout(withinMs);
  while (!(await isDrained()) && !deadline.aborted);
  expect(await selectRemains(run.database)).toEqual(NOTHING_LEFT);
}
