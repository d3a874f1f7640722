import { randomUUID } from 'node:crypto';
import { LedgerSealer } from '@kernel/ledger';
import { AdminApi } from '@kernel/test-support/admin-api';

describe('ledger entries with times that no clock shows', () => {
  let api: AdminApi;
  beforeAll(async () => {
    api = await AdminApi.start({ sealing: { lagMs: 0 } });
    for (const time of ['infinity', '-infinity', '290000-01-01', '2026-11-16T08:00:00Z']) {
      await api.kernel.database.query(
        `insert into kernel_ledger_entry (entry_id, kind, trace_id, actor, recorded_at)
         values ($1, 'published', 'trace-0001', 'test', $2::timestamptz)`,
        [randomUUID(), time],
      );
    }
  });
  afterAll(() => api.close());

  it('are listed, infinite ones at the last time that can be written', async () => {
    const { body } = await api.operator.get('/audit', { traceId: 'trace-0001' }).expect(200);
    const times = (body.items as { recordedAt: string }[]).map(({ recordedAt }) => recordedAt).sort();
    expect(times).toEqual([
      '2026-11-16T08:00:00.000Z',
      '9999-12-31T23:59:59.999Z',
      '9999-12-31T23:59:59.999Z',
      '9999-12-31T23:59:59.999Z',
    ]);
  });

  it('are sealed, verified and exported', async () => {
    const lines = async () => (await api.operator.get('/audit/export').buffer(true)).text.split('\n');
    expect(await lines()).toContainEqual(expect.stringContaining('"recordedAt":"-infinity"'));
    expect(await api.kernel.app.get(LedgerSealer, { strict: false }).seal()).toBeGreaterThan(0);
    const { body } = await api.operator.post('/audit/verify').expect(200);
    expect(body).toMatchObject({ isIntact: true, unsealed: { entries: 2 } });
    expect(await lines()).toContainEqual(expect.stringContaining('"recordedAt":"-infinity"'));
  });
});
