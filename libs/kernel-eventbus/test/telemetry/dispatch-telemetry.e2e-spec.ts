import { randomUUID } from 'node:crypto';
import { DeliveryReplay } from '../../src/replay/delivery-replay.js';
import { waitFor, WebhookReceiver } from '@kernel/eventbus/testing';
import { startKernelApp, type KernelApp } from '@kernel/test-support/kernel-app';

interface LogLine {
  msg: string;
  deliveryId?: string;
  telemetry?: Record<string, unknown>;
}

describe('the telemetry of dispatches', () => {
  const tenantId = randomUUID();
  const lines: LogLine[] = [];
  let receiver: WebhookReceiver;
  let kernel: KernelApp;
  beforeAll(async () => {
    receiver = await WebhookReceiver.start();
    const keep = (line: unknown) => void lines.push(line as LogLine);
    kernel = await startKernelApp({
      telemetryAttributes: ['pipelineId'],
      configure: (app) => app.useLogger({ log: keep, error: keep, warn: keep }),
    });
    await kernel.addEndpoint({ tenantId, url: receiver.url, types: ['artifact.published.v1'] });
  });
  afterAll(async () => {
    await kernel.close();
    await receiver.stop();
  });

  const told = (count: number) =>
    waitFor(() => {
      const told = lines.filter(({ telemetry }) => telemetry);
      return told.length >= count && told;
    }, `${count} lines with telemetry`);

  it('[KFM-9] has all fields for success and failure, a replay, and a repeat that publishes nothing', async () => {
    receiver.answers(503);
    const event = {
      type: 'artifact.published.v1',
      tenantId,
      streamKey: 'dataset:1',
      traceId: 'trace-0001',
      attributes: { pipelineId: 'run-7', careLabel: 'restricted' },
      idempotencyKey: 'run-7',
    };
    const { eventId } = await kernel.outbox.publishDetached(event);
    const [, { deliveryId }] = (await told(2)) as [LogLine, { deliveryId: string }];
    await waitFor(async () => {
      const replay = { deliveryId, actor: 'test', reason: 'telemetry' };
      return (await kernel.app.get(DeliveryReplay).replay(replay)).kind === 'replayed';
    }, 'the delivery to be settled and replayed');
    await told(3);
    await kernel.outbox.publishDetached(event);

    const common = {
      outboxId: eventId,
      pipelineId: 'run-7',
      eventName: 'artifact.published.v1',
      latencyMs: expect.any(Number),
    };
    expect((await told(4)).map(({ telemetry }) => telemetry)).toEqual([
      { ...common, dispatchStatus: 'failure', attempt: 1, duplicateDetected: false },
      { ...common, dispatchStatus: 'success', attempt: 2, duplicateDetected: false },
      { ...common, dispatchStatus: 'success', attempt: 1, duplicateDetected: true },
      { ...common, dispatchStatus: 'success', attempt: 0, duplicateDetected: true },
    ]);
    const ledger = await kernel.database.query<{ attributes: unknown }>(
      `select distinct attributes from kernel_ledger_entry where event_id = $1 and attributes is not null`,
      [eventId],
    );
    expect(ledger).toEqual([{ attributes: event.attributes }]);
  });
});
