import { randomUUID } from 'node:crypto';
import { QueuedDispatcher } from '../../src/dispatch/queued-dispatcher.js';
import { type Handoff } from '../../src/dispatch/webhook-dispatcher.js';
import { waitFor } from '@kernel/eventbus/testing';
import { HangingReceiver } from '../fairness/hanging-receiver.js';
import { closeBenches, startBench } from './dispatch-bench.js';

const PARALLELISM = 8;

/** A queue whose transport records tenants and holds each delivery until its tenant is released. */
function heldQueue(options: { capacity: number; parallelism: number; overflow?: 'wait' }) {
  const invoked: string[] = [];
  const held: { tenantId: string; end: () => void }[] = [];
  const queue = new QueuedDispatcher({
    name: 'queue',
    ...options,
    invoke: ({ delivery: { tenantId } }) => {
      invoked.push(tenantId);
      return new Promise((end) => held.push({ tenantId, end }));
    },
  });
  const hand = (tenantId: string, signal = new AbortController().signal) =>
    queue.dispatch({ delivery: { tenantId }, signal, invoke: async () => undefined } as unknown as Handoff);
  const end = async (tenantId: string) => {
    const place = held.findIndex((one) => one.tenantId === tenantId);
    held.splice(place, 1)[0]!.end();
    await new Promise(setImmediate);
  };
  return { hand, end, invoked };
}

describe('tenants that share a queued dispatcher', () => {
  let hanging: HangingReceiver;
  beforeEach(async () => {
    hanging = await HangingReceiver.start();
  });
  afterEach(async () => {
    await closeBenches();
    await hanging.stop();
  });

  it.each(['fail', 'wait'] as const)(
    '[FR-012] are not delayed by one whose endpoint hangs (overflow: %s)',
    async (overflow) => {
      const queue = new QueuedDispatcher({ name: 'queue', capacity: 20, parallelism: PARALLELISM, overflow });
      const bench = await startBench({ dispatchers: [queue], defaultDispatcher: 'queue', shutdownTimeoutMs: 1 });
      await bench.addEndpoint({ url: hanging.url });
      await Promise.all(Array.from({ length: 40 }, () => bench.publish()));
      await waitFor(() => hanging.count === PARALLELISM, 'every place to be taken');

      const tenantId = randomUUID();
      await bench.kernel.addEndpoint({ tenantId, url: bench.receiver.url, types: ['t.v1'] });
      for (let n = 1; n <= 3; n++) {
        await bench.kernel.outbox.publishDetached({ tenantId, type: 't.v1', streamKey: 's', traceId: 'trace-0001' });
        await bench.receiver.receives(n);
      }
      const received = bench.receiver.received.map(({ headers }) => headers['x-kernel-attempt']);
      expect(received).toEqual(['1', '1', '1']);
    },
  );

  it('take turns, and a reserve serves those of which nothing is being sent', async () => {
    const { hand, end, invoked } = heldQueue({ capacity: 10, parallelism: 2 });
    for (const tenantId of ['a', 'a', 'a', 'a', 'b', 'b', 'c']) {
      expect(await hand(tenantId)).toEqual({ status: 'enqueued' });
    }
    expect(invoked).toEqual(['a', 'a', 'b']);
    await end('b');
    expect(invoked).toEqual(['a', 'a', 'b', 'b']);
    await end('b');
    expect(invoked).toEqual(['a', 'a', 'b', 'b', 'c']);
    await end('c');
    await end('a');
    expect(invoked).toEqual(['a', 'a', 'b', 'b', 'c', 'a']);
  });

  it('have a reserve in a full queue, one for each that waits nowhere in it', async () => {
    const { hand, invoked } = heldQueue({ capacity: 4, parallelism: 1 });
    const full = { status: 'rejected', reason: 'its queue is full (4)' };
    for (let n = 0; n < 5; n++) {
      expect(await hand('a')).toEqual({ status: 'enqueued' });
    }
    expect(await hand('a')).toEqual(full);
    expect(await hand('b')).toEqual({ status: 'enqueued' });
    expect(await hand('c')).toEqual({ status: 'enqueued' });
    expect([await hand('c'), await hand('d')]).toEqual([full, full]);
    expect(invoked).toEqual(['a', 'b']);
  });

  it('leave the queue when their attempt is given up', async () => {
    const { hand, end, invoked } = heldQueue({ capacity: 1, parallelism: 1, overflow: 'wait' });
    const givenUp = new AbortController();
    await hand('a');
    await hand('a', givenUp.signal);
    const waiting = hand('a', givenUp.signal);
    const next = hand('a');
    givenUp.abort();
    expect(await waiting).toMatchObject({ status: 'rejected' });
    expect(await next).toEqual({ status: 'enqueued' });
    await end('a');
    expect(invoked).toEqual(['a', 'a']);
  });
});
