import { waitFor } from '@kernel/eventbus/testing';
import { closeBenches, startBench } from './dispatch-bench.js';

describe('retries', () => {
  afterEach(closeBenches);

  it('[FR-010b] [FR-017] go by the strategy and the detection that the host gives', async () => {
    const pauses: number[] = [];
    const bench = await startBench({
      retry: {
        maxAttempts: 5,
        backoff: (failures) => {
          pauses.push(failures);
          return 10;
        },
        // The opposite of the defaults.
        isTransient: (result) => (result.kind === 'response' ? result.statusCode === 422 : undefined),
      },
    });
    bench.receiver.answers(422, 422, 503);
    await bench.addEndpoint();
    await bench.publish();
    expect(await bench.settled(1)).toMatchObject([{ status: 'DLQ', attempts: 3, error_class: 'http_5xx' }]);
    expect(pauses).toEqual([1, 2]);
  });

  it.each([NaN, -1, 1e15])('survive a strategy that returns %d', async (pause) => {
    const bench = await startBench({ retry: { maxAttempts: 2, backoff: () => pause } });
    bench.receiver.otherwise(500);
    await bench.addEndpoint();
    await bench.publish();
    await waitFor(async () => {
      const [delivery] = await bench.rows<{ attempts: number; next_attempt_at: Date | null }>(
        'select attempts, next_attempt_at from kernel_webhook_delivery',
      );
      const isLate = delivery?.next_attempt_at && delivery.next_attempt_at.getTime() > Date.now() + 29 * 24 * 3_600_000;
      return pause > 1 ? delivery?.attempts === 1 && isLate : delivery?.attempts === 2;
    }, 'the retry to be scheduled, or over');
  });

  it('[FR-018] [SC-004] of the HTTP dispatcher come five times by themselves, and then the delivery has failed', async () => {
    const bench = await startBench({ retry: { initialDelayMs: 5 } });
    bench.receiver.otherwise(500);
    await bench.addEndpoint();
    await bench.publish();
    expect(await bench.settled(1)).toMatchObject([{ status: 'DLQ', attempts: 5 }]);
    const attempts = bench.receiver.received.map(({ headers }) => headers['x-kernel-attempt']);
    expect(attempts).toEqual(['1', '2', '3', '4', '5']);
  });

  it('[FR-017] may be those of an endpoint of its own, as its deadline', async () => {
    const bench = await startBench();
    bench.receiver.otherwise(500);
    const impatient = await bench.addEndpoint();
    await bench.rows(`update kernel_webhook_endpoint set retry = '{"maxAttempts": 1}', timeout_ms = 5000`);
    await bench.publish();
    expect(await bench.settled(1)).toMatchObject([{ endpoint_id: impatient, status: 'DLQ', attempts: 1 }]);
    expect(bench.receiver.received).toHaveLength(1);
  });
});
