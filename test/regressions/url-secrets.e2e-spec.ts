import { randomUUID } from 'node:crypto';
import { type EndpointInvocation, type EndpointInvokerMiddleware, type OutgoingResult } from '@kernel/eventbus';
import { waitFor, WebhookReceiver } from '@kernel/eventbus/testing';
import { AdminApi } from '@kernel/test-support/admin-api';

const SECRET = 'sentinel-4711';
const QUERY = `key=${SECRET}&also=a%2Fsentinel-b`;

/** A middleware of the host that repeats the URL in its error. */
class Repeating implements EndpointInvokerMiddleware {
  readonly name = 'repeating';
  static isOn = false;

  invoke({ request }: EndpointInvocation, next: () => Promise<OutgoingResult>): Promise<OutgoingResult> {
    return Repeating.isOn ? Promise.reject(new Error(`cannot post to ${request.url}`)) : next();
  }
}

describe('secrets in the URL of an endpoint', () => {
  let api: AdminApi;
  let receiver: WebhookReceiver;
  beforeAll(async () => {
    receiver = await WebhookReceiver.start();
    api = await AdminApi.start({ role: 'all', invokerMiddleware: [Repeating] });
  });
  afterAll(async () => {
    await api.close();
    await receiver.stop();
  });
  afterEach(() => {
    Repeating.isOn = false;
    receiver.otherwise(204);
  });

  const entriesOf = (endpointId: string) =>
    api.kernel.database.query<{ kind: string; detail: Record<string, unknown>; error: string | null; text: string }>(
      `select kind, detail, error, response_excerpt as excerpt, to_jsonb(entry)::text as text
       from kernel_ledger_entry entry where endpoint_id = $1 order by entry_id`,
      [endpointId],
    );

  it('are in no ledger entry of its changes, which still show that the URL changed', async () => {
    const tenantId = randomUUID();
    const { endpointId } = await api.createEndpoint(tenantId, { url: `${receiver.url}?${QUERY}` });
    const patch = (changes: object) => api.operator.patch(`/endpoints/${endpointId}`, changes).expect(200);
    await patch({ url: `${receiver.url}?key=sentinel-another` });
    await patch({ url: `${receiver.url}/moved?key=sentinel-another` });
    await patch({ name: 'renamed' });
    await api.operator.delete(`/endpoints/${endpointId}`).expect(204);

    const entries = await entriesOf(endpointId!);
    const { url } = receiver;
    expect(entries.map(({ kind, detail }) => ({ kind, detail }))).toMatchObject([
      { kind: 'endpoint-created', detail: { after: { url } } },
      { kind: 'endpoint-updated', detail: { before: { url }, after: { url }, isUrlQueryChanged: true } },
      { kind: 'endpoint-updated', detail: { before: { url }, after: { url: `${url}/moved` } } },
      { kind: 'endpoint-updated', detail: { after: { name: 'renamed' } } },
      { kind: 'endpoint-deleted', detail: { before: { url: `${url}/moved` } } },
    ]);
    expect(entries[2]!.detail).not.toHaveProperty('isUrlQueryChanged');
    expect(JSON.stringify(entries)).not.toContain('sentinel');
    const { text } = await api.operator.get('/audit/export').expect(200);
    expect(text).toContain(endpointId);
    expect(text).not.toContain('sentinel');
  });

  it.each([
    ['a receiver that echoes the URL', `no ${QUERY} here`, 'no [secret] here'],
    ['a receiver that echoes a value', `{"key":"${SECRET}"}`, '{"key":"[secret]"}'],
    ['a receiver that echoes a decoded value', 'also=a/sentinel-b', 'also=[secret]'],
  ])('are masked in the response of %s', async (_, body, excerpt) => {
    receiver.otherwise({ statusCode: 200, body });
    const { endpointId } = await api.createEndpoint(randomUUID(), { url: `${receiver.url}?${QUERY}` });
    await api.operator.post(`/endpoints/${endpointId}/test`).expect(200);
    const entries = await entriesOf(endpointId!);
    expect(entries.at(-1)).toMatchObject({ kind: 'endpoint-tested', excerpt });
    expect(JSON.stringify(entries)).not.toContain('sentinel');
  });

  it('are masked in the error of an attempt', async () => {
    Repeating.isOn = true;
    const tenantId = randomUUID();
    const { endpointId } = await api.createEndpoint(tenantId, { url: `${receiver.url}?${QUERY}` });
    await api.publish(tenantId);
    const failed = await waitFor(async () => {
      const entries = await entriesOf(endpointId!);
      return entries.find(({ kind }) => kind === 'attempt');
    }, 'an attempt');
    expect(failed.error).toBe(`cannot post to ${receiver.url}?[secret]`);
    const rows = await api.kernel.database.query<{ text: string }>(
      `select (to_jsonb(d) - 'url')::text as text from kernel_webhook_delivery d where endpoint_id = $1`,
      [endpointId!],
    );
    expect(JSON.stringify(rows)).not.toContain('sentinel');
  });

  it('are in no problem', async () => {
    for (const url of [
      `https://me:${SECRET}@example.com/?${QUERY}`,
      `https://10.0.0.9/?${QUERY}`,
      `ftp://example.com/?${QUERY}`,
      `https://example.com/ ?${QUERY}`,
      `not a url ${SECRET}`,
    ]) {
      const body = { tenantId: randomUUID(), url, subscribedTypes: ['a.v1'] };
      const { status, text } = await api.operator.post('/endpoints', body);
      expect([url, status]).toEqual([url, 400]);
      expect(text).not.toContain('sentinel');
    }
  });
});
