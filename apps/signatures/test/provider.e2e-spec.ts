import { waitFor } from '@kernel/eventbus/testing';
import { expectStatus, startTestSignatures, type TestSignatures } from './start-test-signatures.js';

describe('a provider that fails', () => {
  let signatures: TestSignatures;
  let id: string;
  beforeAll(async () => {
    signatures = await startTestSignatures({ provider: { failures: 3, openMs: 500 } });
    id = await signatures.start();
    await signatures.switchProvider(true);
  });
  afterAll(() => signatures.close());

  const send = () => signatures.post(`/signature-requests/${id}/challenge`);
  const openings = () => signatures.eventsOf('demo-gateway');
  const failures = async () =>
    (await signatures.eventsOf(id)).filter(({ type }) => type === 'signature.provider.failed.v1');

  it('[AC6] is told each time, opens the circuit breaker after three, and is left alone then', async () => {
    for (let n = 0; n < 3; n++) {
      expect(await openings()).toEqual([]);
      const { body } = await send().then(expectStatus(502));
      expect(body).toMatchObject({ type: 'urn:kernel:problem:provider-failed' });
    }
    const refused = await send();
    // On a slow machine the breaker may have let a probe through meanwhile.
    expect([502, 503]).toContain(refused.status);

    const told = await failures();
    expect(told[0]!.payload_jsonb).toMatchObject({ provider: 'demo-gateway', channel: 'SMS', signatureRequestId: id });
    const [opened] = await openings();
    expect(opened).toMatchObject({
      type: 'signature.circuit-breaker.opened.v1',
      tenant_id: '00000000-0000-4000-8000-000000000514',
      payload_jsonb: { provider: 'demo-gateway', failures: 3, openMs: 500 },
      trace_id: told[2]!.trace_id,
      stream_key: 'CircuitBreaker:demo-gateway',
    });
  });

  it('is tried again after a while, and the request goes on where it was', async () => {
    const openedBefore = (await openings()).length;
    await signatures.switchProvider(false);
    await waitFor(async () => (await send()).status === 200, 'the provider to be tried again');
    const code = await signatures.codeOf(id);
    await signatures.post(`/signature-requests/${id}/complete`, { code }).then(expectStatus(200));
    const types = (await signatures.eventsOf(id)).map(({ type }) => type);
    expect(types.at(-1)).toBe('signature.completed.v1');
    expect(types).toContain('signature.challenge.sent.v1');
    expect(await openings()).toHaveLength(openedBefore);
  });
});
