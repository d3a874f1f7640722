import { LedgerBacklog, recordedAt } from '@kernel/test-support/ledger-backlog';
import { measureLedger } from '../../src/metrics/measure-ledger.sql.js';

const LIMIT = 5_000;

describe('a sealer that is far behind', () => {
  let backlog: LedgerBacklog;
  beforeAll(async () => {
    backlog = await LedgerBacklog.start();
  });
  afterAll(() => backlog.close());

  it.each([
    ['nothing is sealed', 0, 1],
    ['half of it is sealed', 50_000, 50_000],
  ])(
    'is seen by the age of the oldest entry that waits, without reading the rest, when %s',
    async (_when, sealed, n) => {
      if (sealed > 0) {
        await backlog.kernel.database.query(
          `insert into kernel_ledger_seal (batch_number, from_time, to_time, entry_count, entry_ids, entry_hashes, previous_seal, seal, format)
         values (1, '-infinity', $1, 0, '', '', '', '', 2)`,
          [recordedAt(sealed)],
        );
      }
      const beganMs = Date.now();
      const { result, read } = await backlog.countReads((trx) => measureLedger(trx, null));
      const sinceMs = (nowMs: number) => nowMs - Date.parse(recordedAt(n));
      expect(result.unsealedSeconds * 1_000).toBeGreaterThanOrEqual(sinceMs(beganMs) - 1);
      expect(result.unsealedSeconds * 1_000).toBeLessThanOrEqual(sinceMs(Date.now()) + 1);
      expect(result.unverifiedSeconds === null).toBe(sealed === 0);
      expect(read).toBeLessThan(3 * LIMIT);
    },
  );
});
