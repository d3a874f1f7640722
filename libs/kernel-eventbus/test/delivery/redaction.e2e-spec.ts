import { randomUUID } from 'node:crypto';
import { waitFor, WebhookReceiver } from '@kernel/eventbus/testing';
import { PolicyStore } from '@kernel/privacy';
import { Webhook } from 'standardwebhooks';
import { startKernelApp, type KernelApp } from '@kernel/test-support/kernel-app';

const payload = {
  invoiceId: 'i-1',
  totalCents: 500,
  customer: { name: 'sentinel-name', email: 'sentinel@example.com', taxId: 'sentinel-tax' },
};

describe('redaction before signing', () => {
  let kernel: KernelApp;
  let receiver: WebhookReceiver;
  beforeEach(async () => {
    kernel = await startKernelApp();
    receiver = await WebhookReceiver.start();
  });
  afterEach(async () => {
    await kernel.close();
    await receiver.stop();
  });

  const deliver = async (isExternal: boolean, tenantId: string = randomUUID()) => {
    const { secret } = await kernel.addEndpoint({ tenantId, url: receiver.url, types: ['t.v1'], isExternal });
    const event = await kernel.em
      .fork()
      .transactional((em) =>
        kernel.outbox.publish(
          { type: 't.v1', tenantId, streamKey: 's', traceId: 'trace-0001', actorId: randomUUID(), payload },
          { em },
        ),
      );
    const [webhook] = await receiver.receives(1);
    new Webhook(secret).verify(webhook!.raw, webhook!.headers as Record<string, string>);
    return { event, webhook: webhook! };
  };
  const attemptEntry = async (eventId: string) => {
    const find = async () => {
      const [entry] = await kernel.database.query<{ policy_version: number | null; removed_paths: number | null }>(
        `select policy_id, policy_version, removed_paths, body_sha256 from kernel_ledger_entry where event_id = $1 and kind = 'attempt'`,
        [eventId],
      );
      return entry;
    };
    return waitFor(find, 'the attempt to be in the ledger');
  };

  it('[KER-6d] sends an external endpoint an empty payload when no policy exists, still signed', async () => {
    const { event, webhook } = await deliver(true);
    expect(webhook.body.payload).toEqual({});
    expect(webhook.body).not.toHaveProperty('actorId');
    expect(webhook.raw.toString()).not.toContain('sentinel');
    expect(await attemptEntry(event.eventId)).toMatchObject({ policy_version: null, removed_paths: 5 });
  });

  it('[KER-6d] sends an external endpoint what the policy keeps, masks or hashes, and records policy and count', async () => {
    const tenantId = randomUUID();
    const policy = await kernel.app.get(PolicyStore).put({
      tenantId,
      eventType: 't.v1',
      createdBy: 'test',
      rules: [
        { path: '$.invoiceId', action: 'keep' },
        { path: '$.customer.email', action: 'hash' },
        { path: '$.customer.name', action: 'mask' },
        { path: '@actorId', action: 'keep' },
      ],
    });
    const { event, webhook } = await deliver(true, tenantId);
    expect(webhook.body.payload).toEqual({
      invoiceId: 'i-1',
      customer: { email: expect.stringMatching(/^hmac-sha256:[0-9a-f]{64}$/), name: '***' },
    });
    expect(webhook.body.actorId).toBe(event.actorId);
    expect(webhook.raw.toString()).not.toContain('sentinel');
    expect(await attemptEntry(event.eventId)).toMatchObject({
      policy_id: policy.policyId,
      policy_version: 1,
      removed_paths: 2,
      body_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  it('[KER-6d] sends nothing while policies cannot be read, uses up no attempt, and tells no value', async () => {
    const tenantId = randomUUID();
    await kernel.database.query('alter table kernel_privacy_policy rename to kernel_privacy_policy_away');
    const delivering = deliver(true, tenantId);
    const deferred = await waitFor(async () => {
      const [entry] = await kernel.database.query(
        `select to_jsonb(entry) as entry from kernel_ledger_entry entry where tenant_id = $1 and kind = 'deferred'`,
        [tenantId],
      );
      return entry;
    }, 'the delivery to be deferred');
    expect(deferred).toMatchObject({ entry: { error_class: 'policy_unavailable' } });
    expect(JSON.stringify(deferred)).not.toContain('sentinel');
    expect(receiver.received).toEqual([]);
    await kernel.database.query('alter table kernel_privacy_policy_away rename to kernel_privacy_policy');
    const { webhook } = await delivering;
    expect(webhook.headers['x-kernel-attempt']).toBe('1');
  });

  it('sends an internal endpoint the payload whole', async () => {
    const { event, webhook } = await deliver(false);
    expect(webhook.body.payload).toEqual(payload);
    expect(webhook.body.actorId).toBe(event.actorId);
  });
});
