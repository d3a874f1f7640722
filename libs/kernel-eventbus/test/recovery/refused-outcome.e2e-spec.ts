import { randomUUID } from 'node:crypto';
import { waitFor } from '@kernel/eventbus/testing';
import { startKernelApp, type KernelApp } from '@kernel/test-support/kernel-app';
import { HangingReceiver } from '../fairness/hanging-receiver.js';

const FAILURES = 3;

describe('failed attempts of a worker that was taken for dead', () => {
  let kernel: KernelApp;
  let receiver: HangingReceiver;
  beforeEach(async () => {
    receiver = await HangingReceiver.start();
    kernel = await startKernelApp({ circuit: { failures: FAILURES }, timeoutMs: 3_000, shutdownTimeoutMs: 1 });
  });
  afterEach(async () => {
    await kernel.close();
    await receiver.stop();
  });

  it.each(['none', 'stream'] as const)('open no circuit: others have delivered (ordering: %s)', async (ordering) => {
    const tenantId = randomUUID();
    await kernel.addEndpoint({ tenantId, url: receiver.url, types: ['t.v1'], ordering });
    await kernel.em.fork().transactional((em) =>
      kernel.outbox.publishAll(
        Array.from({ length: FAILURES }, (_, n) => ({
          ...{ tenantId, type: 't.v1', streamKey: `s${n}`, traceId: 'trace-0001' },
        })),
        { em },
      ),
    );
    await waitFor(() => receiver.count === FAILURES, 'every delivery in flight');
    // Deliveries are sent while they are written.
    const deliveries = 'select from kernel_webhook_delivery';
    await waitFor(
      async () => (await kernel.database.query(deliveries)).length === FAILURES,
      'every delivery to be written',
    );
    // Changes the row like a rescuer and another worker.
    await kernel.database.query(
      `update kernel_webhook_delivery set status = 'DELIVERED', settled_at = now(), next_attempt_at = null,
         lease_until = null, leased_by = null, lease_epoch = lease_epoch + 1`,
    );
    const attempts = `select from kernel_ledger_entry where kind = 'attempt' and error_class is not null`;
    await waitFor(
      async () => (await kernel.database.query(attempts)).length === FAILURES,
      'the attempts that changed nothing',
    );
    expect(await kernel.database.query('select * from kernel_endpoint_circuit')).toEqual([]);
  });
});
