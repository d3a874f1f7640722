import { newInvoice, startTestErp } from '@kernel/test-support/start-test-erp';

describe('a transaction and its events', () => {
  it('[KER-2.1a] [KER-2.1b] live and die together, in 500 requests at once of which a third fails', async () => {
    const erp = await startTestErp({ isDemo: true });
    const answers = await Promise.all(
      Array.from({ length: 500 }, (_, index) =>
        erp.request('POST', '/invoices', newInvoice(erp.tenantId, index % 3 === 0 ? { simulateFailure: true } : {})),
      ),
    );

    const failed = answers.filter(({ status }) => status === 500);
    expect(failed).toHaveLength(167);
    expect(new Set(failed.map(({ body }) => body.type))).toEqual(new Set(['urn:kernel:problem:simulated-failure']));
    const created = answers.filter(({ status }) => status === 201).map(({ body }) => body.invoiceId);
    expect(created).toHaveLength(333);

    const kept = await erp.database.query<{ invoice_id: string }>('select invoice_id from erp_invoice');
    expect(kept.map((row) => row.invoice_id).sort()).toEqual(created.toSorted());
    const events = await erp.events();
    expect(events.map(({ stream_key: key }) => key).sort()).toEqual(created.map((id) => `invoice:${id}`).sort());
    await erp.close();
  });
});
