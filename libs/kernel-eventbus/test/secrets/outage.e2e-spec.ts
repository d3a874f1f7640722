import { randomUUID } from 'node:crypto';
import { waitFor, WebhookReceiver } from '@kernel/eventbus/testing';
import { MasterKey, PostgresSecretVault, SecretsConfig } from '@kernel/secrets';
import { startKernelApp, TEST_MASTER_KEY, type KernelApp } from '@kernel/test-support/kernel-app';

const tenantId = randomUUID();

describe('secrets out of reach', () => {
  let kernel: KernelApp;
  let receiver: WebhookReceiver;
  beforeAll(async () => {
    kernel = await startKernelApp({ adapt: (builder) => withCacheFor(builder, 0) });
    receiver = await WebhookReceiver.start();
  });
  afterAll(async () => {
    await receiver.stop();
    await kernel.close();
  });

  const delivery = async (endpointId: string) => {
    const [row] = await kernel.database.query<{ status: string; error_class: string; lease_epoch: number }>(
      'select status, attempts, error_class, lease_epoch from kernel_webhook_delivery where endpoint_id = $1',
      [endpointId],
    );
    return row;
  };

  it('the vault is down: deliveries wait, no attempt is used, nothing is sent, and all goes on when it is back', async () => {
    const { endpointId } = await kernel.addEndpoint({ tenantId, url: receiver.url, types: ['t.v1'] });
    await kernel.database.query('alter table kernel_secret_version rename to away');
    await kernel.outbox.publishDetached({ tenantId, type: 't.v1', streamKey: 's', traceId: 'trace-0001' });
    await waitFor(async () => (await delivery(endpointId))?.error_class === 'secret_unavailable', 'a deferral');
    await waitFor(async () => (await delivery(endpointId))!.lease_epoch >= 4, 'several deferrals');
    expect(await delivery(endpointId)).toMatchObject({ status: 'PENDING', attempts: 0 });
    expect(receiver.received).toEqual([]);
    await kernel.database.query('alter table away rename to kernel_secret_version');
    await receiver.receives(1);
    await waitFor(async () => (await delivery(endpointId))!.status === 'DELIVERED', 'the outcome');
    expect(await delivery(endpointId)).toMatchObject({ status: 'DELIVERED', attempts: 1 });
    expect(receiver.received).toHaveLength(1);
  });

  it('a revocation reaches the workers of other processes by notification, whatever they have cached', async () => {
    const alias = 'revoked.elsewhere';
    const here = kernel.app.get(PostgresSecretVault);
    const other = await startKernelApp({
      ...{ database: kernel.database, role: 'worker' },
      adapt: (builder) => withCacheFor(builder, 300_000),
    });
    try {
      const there = other.app.get(PostgresSecretVault);
      await here.put({ tenantId, alias });
      await here.put({ tenantId, alias });
      expect(await there.liveVersions(tenantId, alias)).toHaveLength(2);
      await kernel.em.fork().transactional((em) => here.revoke(tenantId, alias, 1, em));
      await waitFor(async () => (await there.liveVersions(tenantId, alias)).length === 1, 'the news of the revocation');
      expect(await there.liveVersions(tenantId, alias)).toMatchObject([{ version: 2 }]);
    } finally {
      await other.close();
    }
  });
});

type Builder = Parameters<NonNullable<Parameters<typeof startKernelApp>[0]>['adapt'] & object>[0];

function withCacheFor(builder: Builder, cacheTtlMs: number): Builder {
  const config = {
    masterKey: MasterKey.fromBase64(TEST_MASTER_KEY),
    previousMasterKey: undefined,
    provider: undefined,
  };
  return builder.overrideProvider(SecretsConfig).useValue({ ...config, cacheTtlMs } satisfies SecretsConfig);
}
