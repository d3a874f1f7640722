import { randomUUID } from 'node:crypto';
import { newInvoice, startTestErp, type Answer, type TestErp } from '@kernel/test-support/start-test-erp';

describe('invoices', () => {
  let erp: TestErp;
  beforeEach(async () => {
    erp = await startTestErp();
  });
  afterEach(() => erp.close());

  const create = async (changes = {}) =>
    (await erp.request('POST', '/invoices', newInvoice(erp.tenantId, changes))).body.invoiceId;

  it('[CARD-5] [KER-2.1a] creates an invoice and publishes that on its stream', async () => {
    const actorId = randomUUID();
    const { status, body } = await erp.request('POST', '/invoices', newInvoice(erp.tenantId, { actorId }));

    expect(status).toBe(201);
    expect(body).toMatchObject({ tenantId: erp.tenantId, totalCents: 10_000, status: 'draft', region: 'EU' });
    const [event, ...others] = await erp.events();
    expect(others).toEqual([]);
    expect(event).toMatchObject({
      type: 'invoice.created.v1',
      tenant_id: erp.tenantId,
      actor_id: actorId,
      stream_key: `invoice:${body.invoiceId}`,
      payload_jsonb: {
        invoiceId: body.invoiceId,
        customer: { name: 'Ada Lovelace', email: 'ada@example.com', taxId: 'GB123' },
        lines: newInvoice(erp.tenantId).lines,
        region: 'EU',
        totalCents: 10_000,
      },
    });
  });

  it('updates note and region', async () => {
    const id = await create();
    const { status, body } = await erp.request('PATCH', `/invoices/${id}`, { note: 'urgent', region: 'US' });

    expect(status).toBe(200);
    expect(body).toMatchObject({ invoiceId: id, note: 'urgent', region: 'US' });
    const [, updated] = await erp.events();
    expect(updated).toMatchObject({
      type: 'invoice.updated.v1',
      stream_key: `invoice:${id}`,
      payload_jsonb: { note: 'urgent', region: 'US' },
    });
  });

  it('posts an invoice once: the posting first, then the invoice', async () => {
    const id = await create();
    const answers = await Promise.all([1, 2, 3].map(() => erp.request('POST', `/invoices/${id}/post`)));

    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    const [, ...events] = await erp.events();
    expect(events.map(({ type }) => type)).toEqual(['posting.created.v1', 'invoice.posted.v1']);
    expect(new Set(events.map(({ stream_key: streamKey }) => streamKey))).toEqual(new Set([`invoice:${id}`]));
    expect(await erp.database.query('select invoice_id from erp_posting')).toEqual([{ invoice_id: id }]);
  });

  it("lists a tenant's invoices page by page, newest first", async () => {
    const created: string[] = [];
    for (let count = 0; count < 5; count++) {
      created.unshift(await create());
    }
    await create({ tenantId: randomUUID() });
    const path = `/invoices?tenantId=${erp.tenantId}&limit=2`;
    const listed: string[] = [];
    let cursor: string | null = '';
    do {
      const { body }: Answer = await erp.request('GET', cursor ? `${path}&cursor=${cursor}` : path);
      listed.push(...body.items.map(({ invoiceId }) => invoiceId));
      cursor = body.nextCursor;
    } while (cursor);
    expect(listed).toEqual(created);
  });

  it.each(['PATCH', 'POST'])('answers 404 for an invoice that is not there (%s)', async (method) => {
    const path = `/invoices/${randomUUID()}${method === 'POST' ? '/post' : ''}`;
    const { status, body } = await erp.request(method, path, method === 'PATCH' ? { note: 'x' } : undefined);
    expect(status).toBe(404);
    expect(body).toMatchObject({ type: 'urn:kernel:problem:not-found', status: 404 });
  });

  it('takes a payload far beyond the usual limit of body parsers', async () => {
    const lines = [{ description: 'x'.repeat(200_000), amountCents: 1 }];
    expect((await erp.request('POST', '/invoices', newInvoice(erp.tenantId, { lines }))).status).toBe(201);
  });

  it('describes its routes', async () => {
    const { status, body } = await erp.request('GET', '/docs-json');
    expect(status).toBe(200);
    expect(Object.keys(body.paths)).toEqual(expect.arrayContaining(['/invoices', '/invoices/{id}/post']));
    expect(body.components.securitySchemes).toHaveProperty('bearer');
  });
});
