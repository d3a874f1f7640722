import { randomBytes } from 'node:crypto';
import { MasterKey } from '@kernel/secrets';
import { startKernelApp, type KernelApp } from '@kernel/test-support/kernel-app';
import { SealedLedger } from '@kernel/test-support/sealed-ledger';
import { hashEntries } from '../src/sealing/entries.sql.js';
import { headMessage, sealMessage } from '../src/sealing/ledger-seal.js';
import { SealKey } from '../src/sealing/seal-key.js';
import { insertSeal, readNextSeal } from '../src/sealing/seals.sql.js';
import { LedgerChainStatus } from '../src/verification/ledger-chain-status.js';

describe('a sealed ledger that somebody tampered with', () => {
  let kernel: KernelApp;
  let ledger: SealedLedger;
  let ids: string[];
  beforeAll(async () => {
    kernel = await startKernelApp({ role: 'api', sealing: { lagMs: 0 } });
    ledger = new SealedLedger(kernel);
  });
  afterAll(() => kernel.close());
  /** Three seals of four entries each; the second has places 4 to 7. */
  beforeEach(async () => {
    await ledger.clear();
    ids = await ledger.appendSealed(3);
    expect(await ledger.verifier.verify()).toMatchObject({ isIntact: true, verifiedEntries: 12 });
  });

  const insertAt = (place: number, offset: string) =>
    `insert into kernel_ledger_entry (entry_id, kind, trace_id, actor, recorded_at)
     select 'f0000000-0000-4000-8000-000000000000', 'delivered', 'trace-0001', 'kernel', recorded_at ${offset}
     from kernel_ledger_entry where entry_id = '${ids[place]}'`;

  it.each<[string, string, () => string, number | string]>([
    ['altered', 'altered', () => `update kernel_ledger_entry set reason = 'x' where entry_id = '${ids[5]}'`, 5],
    [
      'altered in its detail',
      'altered',
      () => `update kernel_ledger_entry set detail = detail || '{"n": 9}' where entry_id in ('${ids[5]}', '${ids[6]}')`,
      5,
    ],
    ['removed', 'removed', () => `delete from kernel_ledger_entry where entry_id = '${ids[6]}'`, 6],
    ['removed with all behind it', 'removed', () => `delete from kernel_ledger_entry where entry_id >= '${ids[6]}'`, 6],
    ['inserted', 'inserted', () => insertAt(4, "+ interval '1 microsecond'"), 'f0000000-0000-4000-8000-000000000000'],
    [
      'inserted before all',
      'inserted',
      () => insertAt(0, "- interval '1 year'"),
      'f0000000-0000-4000-8000-000000000000',
    ],
    [
      'reordered',
      'reordered',
      () => `update kernel_ledger_entry l set recorded_at = other.recorded_at from kernel_ledger_entry other
             where (l.entry_id, other.entry_id) in (('${ids[5]}', '${ids[6]}'), ('${ids[6]}', '${ids[5]}'))`,
      6,
    ],
    [
      'moved to another time',
      'altered',
      () => `update kernel_ledger_entry set recorded_at = recorded_at + interval '1 day' where entry_id = '${ids[4]}'`,
      4,
    ],
  ])('[KER-1] [KFM-8] names the first entry %s', async (_what, fault, sql, named) => {
    await ledger.tamper(sql());
    const entryId = typeof named === 'number' ? ids[named] : named;
    const batchNumber = entryId === 'f0000000-0000-4000-8000-000000000000' && _what.includes('all') ? 1 : 2;
    expect(await ledger.verifier.verify()).toMatchObject({
      isIntact: false,
      firstBroken: { fault, entryId, batchNumber },
      verifiedBatches: batchNumber - 1,
    });
  });

  it.each<[string, string, string, number, number | null]>([
    ['the last seal is removed', 'seal-removed', 'delete from kernel_ledger_seal where batch_number = 3', 3, 8],
    [
      'the last seal is removed with its entries',
      'seal-removed',
      `delete from kernel_ledger_entry where recorded_at >= (select from_time from kernel_ledger_seal where batch_number = 3);
       delete from kernel_ledger_seal where batch_number = 3`,
      3,
      null,
    ],
    ['a seal between is removed', 'seal-removed', 'delete from kernel_ledger_seal where batch_number = 2', 2, 4],
    ['all seals are removed', 'seal-removed', 'delete from kernel_ledger_seal', 1, 0],
    ['a seal is altered', 'seal-altered', 'update kernel_ledger_seal set entry_count = 3 where batch_number = 2', 2, 4],
    [
      'the head is put back without its signature',
      'head-altered',
      `delete from kernel_ledger_seal where batch_number = 3;
       update kernel_ledger_head h set batch_number = 2, seal = s.seal from kernel_ledger_seal s where s.batch_number = 2`,
      2,
      null,
    ],
    ['the head is removed', 'head-altered', 'delete from kernel_ledger_head', 3, null],
  ])('[KER-1] notices that %s, and seals nothing on top of it', async (_what, fault, sql, batchNumber, place) => {
    await ledger.tamper(sql);
    const entryId = place === null ? null : ids[place];
    const found = { isIntact: false, firstBroken: { fault, batchNumber, entryId } };
    expect(await ledger.verifier.verify()).toMatchObject(found);
    if (!_what.includes('between') && !_what.includes('altered')) {
      await ledger.append(1);
      expect(await ledger.sealer.seal()).toBe(0);
      expect(await kernel.app.get(LedgerChainStatus).isBroken()).toBe(true);
    }
    expect(await ledger.verifier.verify()).toMatchObject({ isIntact: false, firstBroken: { fault, batchNumber } });
  });

  it('[KER-1] counts as unsealed what no seal covers, not what lies behind the broken place', async () => {
    await ledger.append(2);
    await ledger.tamper(`update kernel_ledger_entry set reason = 'x' where entry_id = '${ids[0]}'`);
    const found = { isIntact: false, verifiedBatches: 0, unsealed: { entries: 2 } };
    expect(await ledger.verifier.verify()).toMatchObject(found);
    await ledger.tamper('delete from kernel_ledger_seal');
    expect(await ledger.verifier.verify()).toMatchObject({ ...found, unsealed: { entries: 14 } });
  });

  it('[KER-1] notices a chain that was computed anew without the key', async () => {
    await ledger.tamper(`update kernel_ledger_entry set reason = 'rewritten' where entry_id = '${ids[5]}'`);
    const db = kernel.em.fork().getKysely<unknown>();
    const forger = new SealKey(MasterKey.fromBase64(randomBytes(32).toString('base64')));
    const stored = [(await readNextSeal(db, 1))!, (await readNextSeal(db, 2))!];
    let previousSeal = (await readNextSeal(db, 0))!.seal;
    await ledger.tamper('delete from kernel_ledger_seal where batch_number > 1');
    for (const seal of stored) {
      const forged = { ...seal, ...(await hashEntries(db, seal.fromTime, seal.toTime)), previousSeal };
      previousSeal = forger.sign(sealMessage(forged));
      const head = { batchNumber: seal.batchNumber, seal: previousSeal };
      const signature = forger.sign(headMessage(head));
      await insertSeal(db, { ...forged, seal: previousSeal }, { ...head, signature });
    }
    expect(await ledger.verifier.verify()).toMatchObject({
      isIntact: false,
      firstBroken: { fault: 'seal-altered', batchNumber: 2, entryId: ids[4] },
      verifiedBatches: 1,
    });
  });

  it('[KER-1] notices by an anchor that the whole ledger was set back to an earlier day', async () => {
    const { head } = await ledger.verifier.verify();
    await ledger.clear();
    await ledger.appendSealed(1);
    expect(await ledger.verifier.verify()).toMatchObject({ isIntact: true });
    expect(await ledger.verifier.verify(head!)).toMatchObject({
      isIntact: false,
      firstBroken: { fault: 'seal-removed', batchNumber: 2 },
    });
    await ledger.appendSealed(2);
    expect(await ledger.verifier.verify(head!)).toMatchObject({
      isIntact: false,
      firstBroken: { fault: 'seal-altered', batchNumber: 3 },
    });
  });
});
