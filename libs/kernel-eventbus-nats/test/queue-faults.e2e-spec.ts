import { randomUUID } from 'node:crypto';
import { waitFor } from '@kernel/eventbus/testing';
import { jetstream, type JsMsg } from '@nats-io/jetstream';
import { describeWithNats } from '@kernel/test-support/nats-server';
import { NatsQueueDispatcher } from '../src/index.js';
import { JobSeal } from '../src/queue/job-seal.js';
import { sealOutcome } from '../src/queue/job.js';
import { QUEUE_KEY, QueueBench, TYPE, type DeliveryRow } from './queue-bench.js';

describeWithNats('the NATS queue, when something is lost', () => {
  let bench: QueueBench;
  beforeAll(async () => {
    const queue = { ackWaitMs: 500, jobs: { maxAgeMs: 30_000 } };
    bench = await QueueBench.start(queue, { timeoutMs: 10_000, leaseMs: 60_000, shutdownTimeoutMs: 50 });
  });
  afterAll(() => bench?.close());
  beforeEach(() => {
    bench.receiver.received.length = 0;
  });
  afterEach(() => bench.stopWorkers());

  const until = (eventId: string, isSo: (row: DeliveryRow) => boolean) =>
    waitFor(async () => {
      const row = await bench.delivery(eventId);
      return row && isSo(row) ? row : undefined;
    }, 'the delivery to change');

  /** Takes a job without acknowledging it, like a worker that dies: the broker redelivers it later. */
  async function takeJob(): Promise<JsMsg> {
    const consumer = await jetstream(bench.nc).consumers.get('KERNEL_DELIVERIES', 'delivery-workers');
    return waitFor(() => consumer.next({ expires: 1_000 }), 'a job');
  }

  it('a delivery that is taken again is not queued again, and the first taker records nothing', async () => {
    const { eventId } = await bench.publish();
    await waitFor(async () => (await bench.waitingJobs()) === 1, 'the job');
    await bench.database.query(
      `update kernel_webhook_delivery set lease_until = null, leased_by = null where event_id = $1`,
      [eventId],
    );
    await until(eventId, ({ leaseEpoch }) => leaseEpoch === 2);
    await bench.startWorker();
    expect(await bench.settled(eventId, 'DELIVERED')).toMatchObject({ attempts: 1, leaseEpoch: 2 });
    expect(bench.receiver.received).toHaveLength(1);
    const attempts = await bench.database.query(
      `select from kernel_ledger_entry where event_id = $1 and conclusion = 'delivered'`,
      [eventId],
    );
    expect(attempts).toHaveLength(1);
  });

  it('what was sent while no engine was there is settled by the next one, and not sent again', async () => {
    const { eventId } = await bench.publish();
    await waitFor(async () => (await bench.waitingJobs()) === 1, 'the job');
    await bench.kernel.close();
    expect(await bench.delivery(eventId)).toMatchObject({ status: 'PENDING', attempts: 0 });
    await bench.startWorker();
    await waitFor(async () => (await bench.waitingJobs()) === 0, 'the job to be done');
    bench.kernel = await bench.startEngine();
    expect(await bench.settled(eventId, 'DELIVERED')).toMatchObject({ attempts: 1, lastStatusCode: 204 });
    expect(bench.receiver.received).toHaveLength(1);
  });

  it('an attempt that is stopped while its job is on the way waits for no outcome', async () => {
    const stopped = Promise.withResolvers<unknown>();
    const stopping = new AbortController();
    const ids = { deliveryId: randomUUID(), eventId: randomUUID(), tenantId: bench.tenantId, endpointId: randomUUID() };
    const stream = { streamKey: 'order:1', streamSequence: null, previousSequence: null };
    const owner = { tenantId: bench.tenantId, urlSetByOperator: true, streamKey: stream.streamKey };
    const url = bench.receiver.url;
    await bench.kernel.app.get(NatsQueueDispatcher).dispatch({
      delivery: {
        ...ids,
        ...stream,
        url,
        type: TYPE,
        traceId: 'stop-0001',
        traceParent: null,
        traceState: null,
        attempt: 1,
        replayCount: 0,
        leaseEpoch: 1,
      },
      signal: stopping.signal,
      invoke: async (send) => {
        const sending = send!({ ...owner, url, headers: {}, body: '{}', timeoutMs: 500, signal: stopping.signal });
        stopping.abort();
        stopped.resolve(await sending.catch((error: Error) => error.message));
      },
    });
    expect(await stopped.promise).toBe('given up before an outcome was known');
    await bench.jsm.streams.purge('KERNEL_DELIVERIES');
  });

  it('a worker that died between outcome and acknowledgement leaves nothing to be sent again', async () => {
    const { eventId } = await bench.publish();
    const job = await takeJob();
    const jobId = job.headers!.get('Nats-Msg-Id');
    const outcome = { kind: 'response' as const, statusCode: 202, headers: {}, bodyExcerpt: '', latencyMs: 3 };
    const sealed = sealOutcome(new JobSeal({ key: QUEUE_KEY }), jobId, outcome);
    await jetstream(bench.nc).publish(`kernel.deliveries.outcomes.${jobId}`, sealed, { msgID: jobId });
    // The engine gets no notice: it looks into the stream.
    expect(await bench.settled(eventId, 'DELIVERED')).toMatchObject({ attempts: 1, lastStatusCode: 202 });
    await bench.startWorker();
    await waitFor(async () => (await bench.waitingJobs()) === 0, 'the job to be let go of');
    expect(bench.receiver.received).toEqual([]);
  });

  it('a job that its workers do not survive fails the attempt in the end', async () => {
    const { eventId } = await bench.publish();
    for (let handout = 1; handout <= 5; handout++) {
      (await takeJob()).nak();
    }
    await bench.startWorker();
    const row = await until(eventId, ({ attempts, status }) => attempts > 0 || status === 'DELIVERED');
    expect(row.lastError).toBe('5 workers were lost while they sent it');
    await bench.settled(eventId, 'DELIVERED');
    expect(bench.receiver.received.map(({ headers }) => headers['x-kernel-attempt'])).toEqual(['2']);
  });

  it('a worker with another key sends nothing, and keeps nothing from the others', async () => {
    const other = { ...bench.queue, key: Buffer.alloc(32, 9).toString('base64') };
    await bench.startWorker({ queue: other });
    const { eventId } = await bench.publish();
    await waitFor(
      async () => (await bench.jsm.consumers.info('KERNEL_DELIVERIES', 'delivery-workers')).num_redelivered > 0,
      'the job to be given back',
    );
    expect(bench.receiver.received).toEqual([]);
    // During a key rotation a worker knows both keys and answers with the key of the request.
    await bench.startWorker({ queue: { ...other, previousKey: QUEUE_KEY } });
    expect(await bench.settled(eventId, 'DELIVERED')).toMatchObject({ attempts: 1 });
    expect(bench.receiver.received).toHaveLength(1);
  });

  it('a broker that goes away, and comes back without its streams, is waited for and costs no attempt', async () => {
    await bench.startWorker();
    await bench.server.kill();
    const { eventId } = await bench.publish();
    const waiting = await until(eventId, ({ errorClass }) => errorClass === 'queue_unavailable');
    expect(waiting).toMatchObject({ status: 'PENDING', attempts: 0 });
    const second = await bench.startEngine({ role: 'api' });
    await bench.server.forget();
    await bench.server.start();
    expect(await bench.settled(eventId, 'DELIVERED')).toMatchObject({ attempts: 1 });
    await second.close();
  });
});

describeWithNats('the limits of the NATS queue', () => {
  let bench: QueueBench;
  beforeAll(async () => {
    const queue = { ackWaitMs: 500, jobs: { maxAgeMs: 1_500, maxMessages: 2 } };
    bench = await QueueBench.start(queue, { timeoutMs: 5_000 });
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
