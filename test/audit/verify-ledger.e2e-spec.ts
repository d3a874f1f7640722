import { appendEntries, ledgerEntry } from '@kernel/eventbus';
import { LedgerSealer } from '@kernel/ledger';
import { readVerifyArguments } from '../../tools/audit/verify-arguments.ts';
import { verifyLedger } from '../../tools/audit/verify-ledger.ts';
import { startKernelApp, TEST_MASTER_KEY, type KernelApp } from '@kernel/test-support/kernel-app';

describe('npm run audit:verify', () => {
  let kernel: KernelApp;
  beforeAll(async () => {
    kernel = await startKernelApp({ role: 'api', sealing: { lagMs: 0 } });
  });
  afterAll(() => kernel.close());

  it('[KER-1] verifies a database without the application, and names what is broken', async () => {
    const entry = ledgerEntry({ kind: 'published', actor: 'kernel', traceId: 'trace-0001' });
    await appendEntries(kernel.em.fork().getKysely(), [entry]);
    await kernel.app.get(LedgerSealer).seal();
    const settings = { databaseUrl: kernel.database.url, masterKey: TEST_MASTER_KEY };
    const intact = await verifyLedger(settings);
    expect(intact).toMatchObject({ isIntact: true, verifiedEntries: 1 });

    await kernel.database.query(
      `begin; set local session_replication_role = replica; update kernel_ledger_entry set actor = 'nobody'; commit`,
    );
    expect(await verifyLedger({ ...settings, anchor: intact.head! })).toMatchObject({
      isIntact: false,
      firstBroken: { fault: 'altered', entryId: entry.entryId },
    });
  });

  it('[KER-1] takes an anchor, and refuses what is mistyped with a line of usage', () => {
    expect(readVerifyArguments([])).toEqual({ anchor: undefined });
    expect(readVerifyArguments(['--anchor', '19:AAAA'])).toEqual({ anchor: { batchNumber: 19, seal: 'AAAA' } });
    const mistyped = ['foo', ':abc', 'x19:AAAA', '19.0:AAAA', '0:AAAA', '19:', ''].map((anchor) => [
      '--anchor',
      anchor,
    ]);
    for (const args of [...mistyped, ['--anchor'], ['--anchr', 'x'], ['ledger.ndjson']]) {
      expect(() => readVerifyArguments(args)).toThrow('usage: npm run audit:verify');
    }
  });
});
