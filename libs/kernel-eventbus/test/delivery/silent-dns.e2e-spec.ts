import { randomUUID } from 'node:crypto';
import { waitFor, WebhookReceiver } from '@kernel/eventbus/testing';
import { DnsServer } from '@kernel/test-support/dns-server';
import { startKernelApp, type KernelApp } from '@kernel/test-support/kernel-app';

const TYPE = 'invoice.created.v1';
const ENDPOINTS = 40;
/** Longer than the test: hanging requests hang to its end. */
const FOR_EVER_MS = 60_000;

describe('[KER-6] a tenant whose names no DNS server answers for', () => {
  let dns: DnsServer;
  let receiver: WebhookReceiver;
  let kernel: KernelApp;
  beforeEach(async () => {
    [dns, receiver] = [await DnsServer.start({ 'receiver.test': ['127.0.0.1'] }), await WebhookReceiver.start()];
  });
  afterEach(async () => {
    await kernel.close();
    await receiver.stop();
    await dns.stop();
  });

  const publish = (tenantId: string) =>
    kernel.outbox.publishDetached({ tenantId, type: TYPE, streamKey: 's:1', traceId: 'trace-0001', payload: {} });

  const addSilent = async (tenantId: string, count: number, isSetByOperator: boolean) => {
    for (let place = 0; place < count; place++) {
      await kernel.addEndpoint({ tenantId, url: `https://n${place}.silent.test/`, types: [TYPE] });
    }
    const values = [isSetByOperator, tenantId];
    await kernel.database.query(
      'update kernel_webhook_endpoint set operator_url = case when $1 then url end where tenant_id = $2',
      values,
    );
  };

  const silentNames = () => new Set(dns.asked.filter((name) => name.endsWith('.silent.test')));

  it.each([
    ['set by an operator', true],
    ['set by a tenant admin', false],
  ])('delays nobody else: URLs %s', async (_who, isSetByOperator) => {
    const timeouts = { timeoutMs: FOR_EVER_MS, dns: { servers: [dns.address], timeoutMs: FOR_EVER_MS } };
    kernel = await startKernelApp({ ...timeouts, shutdownTimeoutMs: 1 });
    const [silent, other] = [randomUUID(), randomUUID()];
    await addSilent(silent, ENDPOINTS, isSetByOperator);
    const url = receiver.url.replace('127.0.0.1', 'receiver.test');
    await kernel.addEndpoint({ tenantId: other, url, types: [TYPE] });

    await publish(silent);
    await waitFor(() => silentNames().size >= 16, 'as many look-ups as one tenant may have under way');
    await publish(other);
    await receiver.receives(1);
    await waitFor(async () => {
      const rows = await kernel.database.query('select status from kernel_webhook_delivery where tenant_id = $1', [
        other,
      ]);
      return rows.length === 1 && rows[0]!.status === 'DELIVERED';
    }, 'the delivery to be recorded');

    // All deliveries of the silent tenant are still in flight, with no more lookups than its share.
    const concluded = `select from kernel_ledger_entry where kind = 'attempt' and tenant_id = $1`;
    expect(await kernel.database.query(concluded, [silent])).toEqual([]);
    expect(silentNames().size).toBe(16);
    // A getaddrinfo call would be listed here; it occupies a libuv thread.
    expect(process.getActiveResourcesInfo()).not.toContain('GetAddrInfoReqWrap');
  });

  it('gets failures of the class dns, which are tried again', async () => {
    const settings = { dns: { servers: [dns.address], timeoutMs: 200 }, retry: { maxAttempts: 2, initialDelayMs: 1 } };
    kernel = await startKernelApp(settings);
    const tenantId = randomUUID();
    await addSilent(tenantId, 1, false);
    await publish(tenantId);
    const attempts = await waitFor(async () => {
      const rows = await kernel.database.query(
        `select attempt, error_class, error from kernel_ledger_entry where kind = 'attempt' order by attempt`,
      );
      return rows.length === 2 ? rows : undefined;
    }, 'two attempts');
    const error = 'n0.silent.test does not resolve (ETIMEOUT): no DNS server answered for it in time';
    expect(attempts).toEqual([1, 2].map((attempt) => ({ attempt, error_class: 'dns', error })));
  });

  it('leaves names of the hosts file and of the system to those whom an operator lets use them', async () => {
    kernel = await startKernelApp({
      dns: { servers: [dns.address] },
      allowedCidrs: ['127.0.0.0/8', '::1/128'],
      retry: { maxAttempts: 1 },
    });
    const tenantId = randomUUID();
    const url = receiver.url.replace('127.0.0.1', 'localhost');
    await kernel.addEndpoint({ tenantId, url, types: [TYPE] });
    await publish(tenantId);
    await receiver.receives(1);
    expect(dns.asked).toEqual([]);
  });
});
