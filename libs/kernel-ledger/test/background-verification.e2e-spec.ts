import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import pg from 'pg';
import { waitFor } from '@kernel/eventbus/testing';
import { startKernelApp, type KernelApp, type KernelAppOptions } from '@kernel/test-support/kernel-app';
import { SealedLedger } from '@kernel/test-support/sealed-ledger';
import { BackgroundVerifier } from '../src/verification/background-verifier.js';
import { SealKey } from '../src/sealing/seal-key.js';
import { LedgerChainStatus } from '../src/verification/ledger-chain-status.js';
import { LedgerVerifier } from '../src/verification/ledger-verifier.js';
import { RequestedVerifier } from '../src/verification/requested-verifier.js';
import { VerificationCheckpoint } from '../src/verification/verification-checkpoint.js';
import { readState } from '../src/verification/verification-state.sql.js';

/** So short that a verification of the whole ledger is always due. */
const ALWAYS_HOURS = 1e-9;

describe('verifying the ledger in the background', () => {
  let kernel: KernelApp;
  let whole: KernelApp;
  let ledger: SealedLedger;
  let ids: string[];
  const error = jest.spyOn(Logger.prototype, 'error').mockReturnValue();
  jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
  const start = (options: KernelAppOptions = {}) =>
    startKernelApp({ role: 'api', sealing: { lagMs: 0 }, database: kernel?.database, ...options });
  beforeAll(async () => {
    kernel = await start();
    whole = await start({ verification: { wholeHours: ALWAYS_HOURS } });
    ledger = new SealedLedger(kernel);
  });
  afterAll(async () => {
    await whole.close();
    await kernel.close();
  });
  /** Three seals of four entries each. */
  beforeEach(async () => {
    await ledger.clear();
    ids = await ledger.appendSealed(3);
  });

  const look = (app = kernel, most = {}) => app.app.get(BackgroundVerifier).look(most);
  const order = (anchor?: { batchNumber: number; seal: string }) => kernel.app.get(RequestedVerifier).verify(anchor);
  const isBroken = (app = kernel) => app.app.get(LedgerChainStatus).isBroken();
  const alter = (place: number, reason: string) =>
    ledger.tamper(`update kernel_ledger_entry set reason = ${reason} where entry_id = '${ids[place]}'`);
  const reasonOf = async (place: number) => {
    const [entry] = await kernel.database.query<{ reason: string }>(
      `select quote_literal(reason) as reason from kernel_ledger_entry where entry_id = $1`,
      [ids[place]],
    );
    return entry!.reason;
  };

  it('[KER-1] verifies what was sealed since the last look, and nothing twice', async () => {
    expect(await isBroken(whole)).toBeUndefined();
    expect(await look()).toMatchObject({ entries: 12, isEnd: true, place: { batchNumber: 3 } });
    expect(await look()).toMatchObject({ entries: 0, isEnd: true });
    await ledger.appendSealed(1);
    expect(await look()).toMatchObject({ entries: 4, isEnd: true, place: { batchNumber: 4 } });
    expect(await isBroken(whole)).toBe(false);
  });

  it('[KER-1] looks at so much at a time, and goes on from there after a restart', async () => {
    expect(await look(kernel, { maxSeals: 1 })).toMatchObject({ entries: 4, isEnd: false });
    const restarted = await start();
    try {
      expect(await look(restarted, { maxEntries: 4 })).toMatchObject({ entries: 4, isEnd: false });
      expect(await look(restarted)).toMatchObject({ entries: 4, isEnd: true, place: { batchNumber: 3 } });
    } finally {
      await restarted.close();
    }
  });

  it('[KER-1] [KFM-8] keeps what it found: every process says so, those that start later too', async () => {
    await alter(5, `'x'`);
    expect(await look()).toMatchObject({ broken: { fault: 'altered', batchNumber: 2, entryId: ids[5] } });
    expect(await isBroken(whole)).toBe(true);
    const restarted = await start();
    try {
      expect(await isBroken(restarted)).toBe(true);
    } finally {
      await restarted.close();
    }
    expect(await look(whole)).toMatchObject({ broken: { batchNumber: 2 }, isEnd: false });
    expect(await isBroken()).toBe(true);
  });

  it('takes it back when that very place is as it was sealed again', async () => {
    const reason = await reasonOf(5);
    await alter(5, `'x'`);
    await look();
    await alter(5, reason);
    expect(await look(kernel, { maxSeals: 1 })).toMatchObject({ broken: undefined, isEnd: false });
    expect(await isBroken()).toBe(true);
    expect(await look()).toMatchObject({ isEnd: true });
    expect(await isBroken()).toBe(false);
  });

  it('[KER-1] begins with the first entry again when the time has come, and finds what was changed behind it', async () => {
    await look();
    await alter(1, `'x'`);
    expect(await look()).toMatchObject({ entries: 0, broken: undefined });
    expect(await look(whole)).toMatchObject({ broken: { fault: 'altered', batchNumber: 1, entryId: ids[1] } });
  });

  it('[KER-1] notices by what it remembers that seals and head were set back together, which no seal can show', async () => {
    await ledger.tamper('create table kept_head as select * from kernel_ledger_head');
    await ledger.appendSealed(1);
    await look();
    await ledger.tamper(
      `delete from kernel_ledger_seal where batch_number = 4; delete from kernel_ledger_head;
       insert into kernel_ledger_head select * from kept_head; drop table kept_head`,
    );
    expect(await ledger.verifier.verify()).toMatchObject({ isIntact: true });
    const found = { fault: 'seal-removed', batchNumber: 4 };
    expect(await look()).toMatchObject({ broken: found });
    expect(await order()).toMatchObject({ isIntact: false, firstBroken: found });
    // A new seal at the same place is still a different seal.
    await ledger.appendSealed(1);
    const another = { fault: 'seal-altered', batchNumber: 4 };
    expect(await look(whole)).toMatchObject({ broken: another });
    expect(await order()).toMatchObject({ isIntact: false, firstBroken: another });
    expect(await isBroken()).toBe(true);
  });

  it('[KER-1] trusts no place that the key did not sign', async () => {
    await look(kernel, { maxSeals: 1 });
    await alter(5, `'x'`);
    await ledger.tamper(
      `update kernel_ledger_verification v set batch_number = 3, to_time = s.to_time, seal = s.seal
       from kernel_ledger_seal s where s.batch_number = 3`,
    );
    expect(await look()).toMatchObject({ entries: 4, broken: { fault: 'altered', entryId: ids[5] } });
  });

  it('leaves the turn to the process that has it', async () => {
    const other = kernel.em.fork();
    await other.begin();
    await other.execute('select pg_advisory_xact_lock(310123)');
    expect(await look()).toBeUndefined();
    await other.rollback();
    expect(await look()).toMatchObject({ entries: 12 });
  });

  it('keeps what an ordered verification found, by an anchor say, until another one finds the ledger whole', async () => {
    const { head } = await order();
    const wrong = { ...head!, seal: Buffer.from('another').toString('base64') };
    expect(await order(wrong)).toMatchObject({
      isIntact: false,
      firstBroken: { fault: 'seal-altered', batchNumber: 3 },
    });
    expect(await look()).toMatchObject({ isEnd: true, broken: undefined });
    expect(await isBroken()).toBe(true);
    expect(await order(head!)).toMatchObject({ isIntact: true });
    expect(await isBroken()).toBe(false);
    expect(await look()).toMatchObject({ entries: 0 });
  });

  it('lets an ordered verification take back only what was seen before it began', async () => {
    await look();
    const see = async (offset: string) => {
      const [time] = await kernel.database.query<{ seenAt: string }>(
        `select to_char((now() ${offset}) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "seenAt"`,
      );
      const checkpoint = kernel.app.get(VerificationCheckpoint, { strict: false });
      const db = kernel.em.fork().getKysely<unknown>();
      const before = await checkpoint.recall(db, time!.seenAt);
      const place = { fault: 'altered' as const, batchNumber: 1, entryId: null };
      await checkpoint.keep(db, { ...before, finding: { ...place, ...time!, isOrdered: false } }, before);
    };
    await see(`+ interval '1 hour'`);
    expect(await order()).toMatchObject({ isIntact: true });
    expect(await isBroken()).toBe(true);
    await see(`- interval '1 hour'`);
    await order();
    expect(await isBroken()).toBe(false);
  });

  describe('believes nothing that SQL as the app wrote:', () => {
    let app: pg.Client;
    beforeAll(async () => {
      app = new pg.Client({ connectionString: kernel.database.appUrl });
      await app.connect();
    });
    afterAll(() => app.end());
    beforeEach(() => error.mockClear());
    const errors = () => error.mock.calls.map(([message]) => JSON.stringify(message)).join();
    const verifiedAt = () => kernel.app.get(LedgerChainStatus).verifiedAt();

    it.each([
      `fault = null, fault_batch_number = null, fault_entry_id = null, fault_seen_at = null`,
      'is_fault_ordered = not is_fault_ordered',
      `fault_seen_at = fault_seen_at - interval '1 day'`,
      `signature = ''`,
    ])('[KER-1] a finding that was changed is still one, and is said: %s', async (change) => {
      await alter(5, `'x'`);
      await look();
      expect(await isBroken(whole)).toBe(true);
      await app.query(`update kernel_ledger_verification set ${change}`);
      expect(await isBroken(whole)).toBe(true);
      expect(errors()).toContain('the record of verification was altered');
      expect(await look()).toMatchObject({ entries: 4, broken: { fault: 'altered', entryId: ids[5] } });
      expect(await isBroken(whole)).toBe(true);
    });

    it('[KER-1] a record altered after every round, before a fault is reached, is broken and not verified', async () => {
      await alter(9, `'x'`);
      for (let round = 0; round < 3; round++) {
        expect(await look(kernel, { maxSeals: 1 })).toMatchObject({ place: { batchNumber: 1 }, isEnd: false });
        await app.query(`update kernel_ledger_verification set signature = '', ended_at = now()`);
        expect(await isBroken(whole)).toBe(true);
        expect(await verifiedAt()).toBeNull();
      }
    });

    it('[KER-1] an altered record is broken until a requested verification of the whole ledger ends intact', async () => {
      await look();
      expect(await verifiedAt()).not.toBeNull();
      await app.query(
        `update kernel_ledger_verification set fault = 'altered', fault_batch_number = 1, fault_seen_at = now()`,
      );
      expect(await look()).toMatchObject({ entries: 12, isEnd: true, broken: undefined });
      expect(await look(whole)).toMatchObject({ isEnd: true });
      expect(await isBroken(whole)).toBe(true);
      expect(await kernel.database.query('select fault, is_fault_ordered from kernel_ledger_verification')).toEqual([
        { fault: 'verification-altered', is_fault_ordered: true },
      ]);
      expect(await order()).toMatchObject({ isIntact: true });
      expect(await isBroken(whole)).toBe(false);
      await app.query(`update kernel_ledger_verification set signature = ''`);
      expect(await order()).toMatchObject({ isIntact: true });
      expect(await isBroken(whole)).toBe(false);
    });

    it('[KER-1] a record altered while a requested verification runs stays broken', async () => {
      await look();
      const verifier = kernel.app.get(LedgerVerifier);
      const verifyTo = verifier.verifyTo.bind(verifier);
      const during = jest.spyOn(verifier, 'verifyTo').mockImplementationOnce(async (anchors) => {
        await app.query(`update kernel_ledger_verification set signature = ''`);
        return verifyTo(anchors);
      });
      expect(await order()).toMatchObject({ isIntact: true });
      during.mockRestore();
      expect(await isBroken(whole)).toBe(true);
    });

    it('[KER-1] an earlier result that was signed, and is put back in the place of a finding, is altered', async () => {
      await look();
      await app.query('create temp table kept as select * from kernel_ledger_verification');
      await alter(5, `'x'`);
      expect(await look(whole)).toMatchObject({ broken: { entryId: ids[5] } });
      const columns = `batch_number, to_time, seal, began_at, ended_at, signature, fault, fault_batch_number,
        fault_entry_id, fault_seen_at, is_fault_ordered, round`;
      await app.query(`update kernel_ledger_verification set (${columns}) = (select ${columns} from kept)`);
      expect(await isBroken(whole)).toBe(true);
      expect(await look()).toMatchObject({ broken: { entryId: ids[5] } });
      await expect(app.query('delete from kernel_ledger_verification')).rejects.toMatchObject({ code: '42501' });
    });
  });

  describe('after the upgrade from a version whose signature did not cover the round', () => {
    /** As the migration leaves the row: round 0, which the trigger never sets. */
    const asBefore = async (change = '') => {
      const db = kernel.em.fork().getKysely<unknown>();
      const { batchNumber, toTime, seal, beganAt, endedAt } = await readState(db).then((state) => ({
        ...state!.place,
        ...state!,
      }));
      const message = ['kernel-ledger-verification/1', batchNumber, toTime, seal.toString('hex'), beganAt, endedAt];
      const signature = kernel.app.get(SealKey, { strict: false }).sign(JSON.stringify(message)).toString('hex');
      await ledger.tamper(
        `update kernel_ledger_verification set round = 0, signature = '\\x${signature}'; ${change || 'select 1'}`,
      );
    };

    it('keeps position and finding, and signs them anew', async () => {
      const reason = await reasonOf(9);
      await alter(9, `'x'`);
      await look();
      await asBefore();
      expect(await isBroken()).toBe(true);
      await alter(9, reason);
      expect(await look()).toMatchObject({ entries: 4, isEnd: true });
      expect(await isBroken()).toBe(false);
      expect(await look()).toMatchObject({ entries: 0 });
    });

    it('knows nothing of a row that was never signed, once', async () => {
      await look();
      await asBefore(`update kernel_ledger_verification set signature = ''`);
      expect(await isBroken(whole)).toBeUndefined();
      expect(await look()).toMatchObject({ entries: 12, isEnd: true });
      expect(await isBroken(whole)).toBe(false);
    });

    it('[KER-1] takes such a row that is written later for altered', async () => {
      await look();
      await asBefore();
      // The trigger counts, whatever the statement says.
      await kernel.database.query('update kernel_ledger_verification set round = 0');
      expect(await isBroken(whole)).toBe(true);
      await order();
      await kernel.database.query(`update kernel_ledger_verification set round = 0, signature = ''`);
      expect(await isBroken(whole)).toBe(true);
    });
  });

  it('[KER-1] is done by workers by themselves', async () => {
    await alter(5, `'x'`);
    const worker = await start({ role: 'worker', verification: { intervalMs: 20 } });
    try {
      await waitFor(async () => (await isBroken()) === true, 'the worker to find it');
    } finally {
      await worker.close();
    }
  });
});
