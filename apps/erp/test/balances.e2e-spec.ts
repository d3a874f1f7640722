import { waitFor } from '@kernel/eventbus/testing';
import { newInvoice, startTestErp, type TestErp } from '@kernel/test-support/start-test-erp';

describe('balances', () => {
  let erp: TestErp;
  beforeEach(async () => {
    erp = await startTestErp({ role: 'all' });
  });
  afterEach(() => erp.close());

  const balance = async () => (await erp.request('GET', `/balances?tenantId=${erp.tenantId}`)).body;

  it('grow by what is posted, through a handler in a module of its own, each posting once', async () => {
    expect(await balance()).toEqual({ tenantId: erp.tenantId, balanceCents: 0, postings: 0 });
    for (let n = 0; n < 3; n++) {
      const { body } = await erp.request('POST', '/invoices', newInvoice(erp.tenantId));
      await erp.request('POST', `/invoices/${String(body.invoiceId)}/post`);
    }
    await waitFor(async () => (await balance()).postings === 3, 'three postings to be in the balance');
    expect(await balance()).toEqual({ tenantId: erp.tenantId, balanceCents: 30_000, postings: 3 });
    const processed = await erp.database.query(`select handler from kernel_processed_event`);
    expect(processed).toEqual(Array(3).fill({ handler: 'erp.balance' }));
  });

  it('need a tenant', async () => {
    expect((await erp.request('GET', '/balances')).status).toBe(400);
  });
});
