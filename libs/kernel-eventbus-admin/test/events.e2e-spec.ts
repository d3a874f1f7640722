import { randomUUID } from 'node:crypto';
import { AdminApi, TYPE } from '@kernel/test-support/admin-api';

describe('events', () => {
  let api: AdminApi;
  beforeAll(async () => {
    api = await AdminApi.start();
  });
  afterAll(() => api.close());

  it('[KER-3.1] are shown as the envelope with what the outbox knows of them', async () => {
    const tenantId = randomUUID();
    const actorId = randomUUID();
    const occurredAt = '2026-03-01T10:00:00.123Z';
    const { eventId } = await api.publish(tenantId, {
      occurredAt,
      actorId,
      payload: { total: 5, lines: [{ a: null }] },
      aggregateType: 'invoice',
      aggregateId: '42',
      attributes: { careLabel: 'open' },
    });

    const { body } = await api.operator.get(`/events/${eventId}`).expect(200);
    expect(body).toEqual({
      eventId,
      tenantId,
      streamKey: 'invoice:1',
      type: TYPE,
      occurredAt,
      traceId: 'trace-0001',
      actorId,
      payload: { total: 5, lines: [{ a: null }] },
      status: 'PENDING',
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      publishedAt: null,
      payloadHash: expect.stringMatching(/^[0-9a-f]{64}$/),
      aggregateType: 'invoice',
      aggregateId: '42',
      attributes: { careLabel: 'open' },
    });
    const { body: list } = await api.operator.get('/events', { tenantId }).expect(200);
    expect(list).toEqual({ items: [body], nextCursor: null });
  });

  it('are filtered by type, stream, trace and time, since inclusive and until exclusive', async () => {
    const { tenantId, client } = await api.tenantAdmin();
    const first = await api.publish(tenantId, { type: 'a.v1', streamKey: 'one', traceId: 'trace-aaaa' });
    const second = await api.publish(tenantId, { type: 'b.v1', streamKey: 'two', traceId: 'trace-bbbb' });
    await api.publish(randomUUID(), { type: 'a.v1', streamKey: 'one', traceId: 'trace-aaaa' });
    const found = async (query: Record<string, string>) => {
      const { body } = await client.get('/events', query).expect(200);
      return (body.items as { eventId: string }[]).map(({ eventId }) => eventId);
    };

    expect(await found({})).toEqual([second.eventId, first.eventId]);
    expect(await found({ tenantId })).toEqual([second.eventId, first.eventId]);
    expect(await found({ type: 'a.v1' })).toEqual([first.eventId]);
    expect(await found({ streamKey: 'two' })).toEqual([second.eventId]);
    expect(await found({ traceId: 'trace-aaaa' })).toEqual([first.eventId]);
    expect(await found({ type: 'a.v1', streamKey: 'two' })).toEqual([]);
    expect(await found({ since: '0001-01-01T00:00:00Z' })).toHaveLength(2);

    await api.kernel.database.query(
      `insert into kernel_outbox_event
         (event_id, tenant_id, stream_key, type, occurred_at, trace_id, payload_jsonb, payload_hash, created_at)
       select gen_random_uuid(), $1, 's', 'old.v1', now(), 'trace-0001', '{}', 'x', at::timestamptz
       from unnest(array['2020-01-01T00:00:00Z', '2020-01-01T00:00:01Z', '2020-01-01T00:00:02Z']) as at`,
      [tenantId],
    );
    const between = { since: '2020-01-01T00:00:00Z', until: '2020-01-01T03:00:02+03:00' };
    const { body } = await client.get('/events', between).expect(200);
    expect((body.items as { createdAt: string }[]).map(({ createdAt }) => createdAt)).toEqual([
      '2020-01-01T00:00:01.000Z',
      '2020-01-01T00:00:00.000Z',
    ]);
  });
});
