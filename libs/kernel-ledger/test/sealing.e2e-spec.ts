import { waitFor } from '@kernel/eventbus/testing';
import { startKernelApp, type KernelApp } from '@kernel/test-support/kernel-app';
import { SealedLedger } from '@kernel/test-support/sealed-ledger';

describe('sealing the ledger', () => {
  let kernel: KernelApp;
  let ledger: SealedLedger;
  beforeAll(async () => {
    kernel = await startKernelApp({ role: 'api', sealing: { lagMs: 0 } });
    ledger = new SealedLedger(kernel);
  });
  afterAll(() => kernel.close());
  beforeEach(() => ledger.clear());

  const seals = () =>
    kernel.database.query<{ batch_number: number; entry_count: number }>(
      'select batch_number, entry_count from kernel_ledger_seal order by batch_number',
    );

  it('[KER-1] chains batches, verifies them, and reports what is not sealed yet', async () => {
    expect(await ledger.verifier.verify()).toMatchObject({ isIntact: true, verifiedBatches: 0, head: null });
    await ledger.appendSealed(3);
    await ledger.append(2);
    expect(await seals()).toEqual([1, 2, 3].map((batch_number) => ({ batch_number, entry_count: 4 })));
    expect(await ledger.verifier.verify()).toMatchObject({
      isIntact: true,
      firstBroken: null,
      verifiedBatches: 3,
      verifiedEntries: 12,
      unsealed: { entries: 2, since: expect.stringMatching(/^20.*\.\d{6}Z$/) },
      head: { batchNumber: 3 },
    });
  });

  it('[KER-1] writes no seal when there is nothing to seal', async () => {
    await ledger.appendSealed(1);
    expect(await ledger.sealer.seal()).toBe(0);
    expect(await seals()).toHaveLength(1);
  });

  it('[KER-1] waits for a transaction that is open: its entry is sealed later, not skipped', async () => {
    const em = kernel.em.fork();
    await em.begin();
    const [early] = await ledger.append(1, em);
    const [late] = await ledger.append(1);
    expect(await ledger.sealer.seal()).toBe(0);
    expect(await ledger.sealer.seal()).toBe(0);
    expect(await ledger.verifier.verify()).toMatchObject({ isIntact: true, unsealed: { entries: 1 } });

    await em.commit();
    expect(await ledger.sealer.seal()).toBe(2);
    const [seal] = await kernel.database.query<{ ids: string }>(
      `select encode(entry_ids, 'hex') as ids from kernel_ledger_seal`,
    );
    expect(seal!.ids).toBe(`${early}${late}`.replaceAll('-', ''));
    expect(await ledger.verifier.verify()).toMatchObject({ isIntact: true, verifiedEntries: 2 });
  });

  it('[KER-1] goes on while others write, up to where those had begun who have ended since', async () => {
    const [first, second] = [kernel.em.fork(), kernel.em.fork()];
    await first.begin();
    await ledger.append(1, first);
    expect(await ledger.sealer.seal()).toBe(0);
    await second.begin();
    await ledger.append(1, second);
    await first.commit();
    expect(await ledger.sealer.seal()).toBe(1);
    await second.rollback();
    await ledger.append(1);
    expect(await ledger.sealer.seal()).toBe(1);
    expect(await ledger.verifier.verify()).toMatchObject({ isIntact: true, verifiedEntries: 2 });
  });

  it('[KER-1] seals a backlog in batches of thousands, one process at a time', async () => {
    await kernel.database.query(
      `insert into kernel_ledger_entry (entry_id, kind, trace_id, actor, recorded_at)
       select gen_random_uuid(), 'published', 'trace-0001', 'test',
         case when n <= 11000 then '2026-01-01'::timestamptz else clock_timestamp() end
       from generate_series(1, 25000) n`,
    );
    const counts = await Promise.all([1, 2, 3].map(() => ledger.sealer.seal()));
    const rest = await ledger.sealer.seal();
    expect(counts.reduce((sum, count) => sum + count, rest)).toBe(25_000);
    // Entries with the same timestamp stay in one seal.
    expect((await seals()).map(({ entry_count }) => entry_count)).toEqual([11_000, 10_000, 4_000]);
    expect(await ledger.verifier.verify()).toMatchObject({ isIntact: true, verifiedEntries: 25_000 });
  });

  it('[KER-1] the database refuses to change or remove a seal', async () => {
    await ledger.appendSealed(1);
    for (const sql of [
      'update kernel_ledger_seal set entry_count = 0',
      'delete from kernel_ledger_seal',
      'truncate kernel_ledger_seal',
    ]) {
      await expect(kernel.database.query(sql)).rejects.toThrow('kernel_ledger_seal is append-only');
    }
  });

  it('[KER-1] a worker seals by itself', async () => {
    const ids = await ledger.append(3);
    const worker = await startKernelApp({
      role: 'worker',
      database: kernel.database,
      sealing: { lagMs: 0, intervalMs: 20 },
    });
    try {
      await waitFor(async () => (await seals()).length > 0, 'the worker to seal');
    } finally {
      await worker.close();
    }
    expect((await ledger.verifier.verify()).verifiedEntries).toBeGreaterThanOrEqual(ids.length);
  });
});
