import { ENTRIES, LedgerBacklog, recordedAt } from '@kernel/test-support/ledger-backlog';
import { findBatchEnd } from '../src/sealing/batch-end.js';
import { hashEntries } from '../src/sealing/entries.sql.js';

const LIMIT = 5_000;
const YEAR = 365 * 86_400_000;

describe('a sealer that is far behind', () => {
  let backlog: LedgerBacklog;
  beforeAll(async () => {
    backlog = await LedgerBacklog.start();
  });
  afterAll(() => backlog.close());

  it.each([0, 40_000, 90_000])(
    '[KER-1] finds the end of a batch without reading the backlog behind it, from entry %s on',
    async (n) => {
      const { result, read } = await backlog.countReads((db) =>
        findBatchEnd(db, recordedAt(n + 1), recordedAt(YEAR), LIMIT),
      );
      expect(result).toBe(recordedAt(n + LIMIT + 1));
      expect(read).toBeGreaterThan(LIMIT);
      expect(read).toBeLessThan(8 * LIMIT);
      const sealing = await backlog.countReads((db) => hashEntries(db, recordedAt(n + 1), result));
      expect(sealing.result.entryCount).toBe(LIMIT);
      expect(sealing.read).toBeLessThan(3 * LIMIT);
    },
  );

  it.each([
    ['before the first entry', '-infinity', recordedAt(10), 5, recordedAt(6)],
    ['a year before the first entry', recordedAt(-YEAR), recordedAt(YEAR), 5, recordedAt(6)],
    ['behind the last entry', recordedAt(ENTRIES + 1), recordedAt(YEAR), 5, recordedAt(YEAR)],
    ['where as many are left as there is room for', recordedAt(ENTRIES - 4), recordedAt(YEAR), 5, recordedAt(YEAR)],
    ['where one more is left', recordedAt(ENTRIES - 5), recordedAt(YEAR), 5, recordedAt(ENTRIES)],
    ['where the range ends before the room does', recordedAt(1), recordedAt(4), 5, recordedAt(4)],
    ['where there is nothing', recordedAt(YEAR), recordedAt(YEAR + 1), 5, recordedAt(YEAR + 1)],
  ])('[KER-1] walks over times without entries, and cuts exactly: %s', async (_, from, to, limit, end) => {
    expect(await findBatchEnd(backlog.kernel.em.fork().getKysely(), from, to, limit)).toBe(end);
  });

  it('[KER-1] keeps entries of one microsecond together, at the end of a second too', async () => {
    await backlog.kernel.database.query(
      `insert into kernel_ledger_entry (entry_id, kind, trace_id, actor, recorded_at)
       select gen_random_uuid(), 'published', 'trace-0001', 'test', '2020-01-01T00:00:59.999999Z'
       from generate_series(1, 20)`,
    );
    const end = await findBatchEnd(backlog.kernel.em.fork().getKysely(), '-infinity', recordedAt(0), 5);
    expect(end).toBe('2020-01-01T00:01:00.000000Z');
  });
});
