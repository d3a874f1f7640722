import { waitFor } from '@kernel/eventbus/testing';
import { describeWithNats } from '../../../test/support/nats-server.js';
import { QueueBench, TYPE } from './queue-bench.js';

describeWithNats('the limits of the NATS queue', () => {
  let bench: QueueBench;
  beforeAll(async () => {
    const queue = { ackWaitMs: 500, jobs: { maxAgeMs: 1_500, maxMessages: 2 } };
    bench = await QueueBench.start(queue, { timeoutMs: 500 });
    const { tenantId, receiver } = bench;
    await bench.kernel.addEndpoint({ tenantId, url: receiver.url, types: [TYPE] });
  });
  afterAll(() => bench?.close());

  it('[FR-010d] a full queue and one that nobody empties cost no attempt, and say so', async () => {
    const events = await Promise.all(['a', 'b', 'c'].map((place) => bench.publish({ place }, `s:${place}`)));
    const rows = () => Promise.all(events.map(({ eventId }) => bench.delivery(eventId)));
    const full = await waitFor(
      async () => (await rows()).find((row) => row?.errorClass === 'queue_full'),
      'one that the queue has no room for',
    );
    expect(full).toMatchObject({ status: 'PENDING', attempts: 0 });
    expect(full.lastError).toMatch(/the stream KERNEL_DELIVERIES is full \(maximum messages exceeded\)/);
    const silent = await waitFor(
      async () => (await rows()).find((row) => row?.errorClass === 'queue_silent'),
      'one that nobody has sent',
    );
    expect(silent).toMatchObject({ status: 'PENDING', attempts: 0 });
    expect(silent.lastError).toMatch(/no worker has sent it within 1500 ms/);

    await bench.startWorker();
    await Promise.all(events.map(({ eventId }) => bench.settled(eventId, 'DELIVERED')));
    expect((await rows()).map(({ attempts }) => attempts)).toEqual([1, 1, 1]);
  });
});
