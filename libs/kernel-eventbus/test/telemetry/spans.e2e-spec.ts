import { hash, randomUUID } from 'node:crypto';
import { waitFor, WebhookReceiver } from '@kernel/eventbus/testing';
import type { Handoff, HandoffResult, WebhookDispatcher } from '@kernel/eventbus';
import { context, SpanKind, SpanStatusCode, trace, type Attributes, type SpanContext } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  InMemorySpanExporter,
  SamplingDecision,
  SimpleSpanProcessor,
  TracerProvider,
  type ReadableSpan,
  type Sampler,
} from '@opentelemetry/sdk-trace';
import request from 'supertest';
import { startKernelApp, type KernelApp } from '@kernel/test-support/kernel-app';

const tenantId = randomUUID();
const W3C = '4bf92f3577b34da6a3ce929d0e0e4736';

/** Samples every span and keeps the attributes that a sampler sees, by trace and name. */
class WatchingSampler implements Sampler {
  readonly #seen = new Map<string, Attributes>();

  shouldSample(...[, traceId, name, , attributes]: Parameters<Sampler['shouldSample']>) {
    this.#seen.set(`${traceId} ${name}`, attributes);
    return { decision: SamplingDecision.RECORD_AND_SAMPLED };
  }

  toString(): string {
    return 'WatchingSampler';
  }

  sawOf({ traceId }: SpanContext, name: string): Attributes | undefined {
    return this.#seen.get(`${traceId} ${name}`);
  }
}

/** Invokes from a timer of its own, outside of any attempt. */
class TickingDispatcher implements WebhookDispatcher {
  readonly name = 'ticking';
  readonly #waiting: Handoff[] = [];
  readonly #timer = setInterval(() => this.#waiting.splice(0).forEach((handoff) => void handoff.invoke()), 10);

  async dispatch(handoff: Handoff): Promise<HandoffResult> {
    this.#waiting.push(handoff);
    return { status: 'enqueued' };
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}

describe('spans', () => {
  const ticking = new TickingDispatcher();
  const sampler = new WatchingSampler();
  const exporter = new InMemorySpanExporter();
  let kernel: KernelApp;
  let receiver: WebhookReceiver;
  beforeAll(async () => {
    receiver = await WebhookReceiver.start();
    kernel = await startKernelApp({ dispatchers: [ticking] });
    await kernel.addEndpoint({ tenantId, url: new URL('/hook?token=secret', receiver.url).href, types: ['t.v1'] });
    const queued = await kernel.addEndpoint({ tenantId, url: receiver.url, types: ['queued.v1'] });
    await kernel.database.query(`update kernel_webhook_endpoint set dispatcher = 'ticking' where endpoint_id = $1`, [
      queued.endpointId,
    ]);
    await kernel.addEndpoint({ tenantId, url: 'http://127.0.0.1:1/', types: ['unreachable.v1'] });
    await kernel.addEndpoint({ tenantId, url: receiver.url, types: ['ordered.v1'], ordering: 'stream' });
  });
  afterAll(async () => {
    await kernel.close();
    ticking.stop();
    await receiver.stop();
  });

  const publish = (type: string, traceId?: string) =>
    kernel.em
      .fork()
      .transactional((em) => kernel.outbox.publish({ tenantId, type, streamKey: randomUUID(), traceId }, { em }));

  /** Publishes like a request handler of a traced application. */
  async function publishInSpan(type: string, traceId?: string) {
    const span = trace.getTracer('host').startSpan('POST /orders');
    const event = await context.with(trace.setSpan(context.active(), span), () => publish(type, traceId));
    span.end();
    return { event, host: span.spanContext() };
  }

  async function webhookOf({ eventId }: { eventId: string }, attempt = 1) {
    const found = () =>
      receiver.received.find(
        ({ headers }) => headers['webhook-id'] === eventId && headers['x-kernel-attempt'] === String(attempt),
      );
    await waitFor(() => found() !== undefined, 'the webhook');
    return found()!;
  }

  /** Spans of a trace, by name. */
  async function spansOf({ traceId }: SpanContext, count: number): Promise<Map<string, ReadableSpan[]>> {
    const found = () => exporter.getFinishedSpans().filter((span) => span.spanContext().traceId === traceId);
    await waitFor(() => found().length >= count, `${count} spans`);
    return Map.groupBy(found(), ({ name }) => name);
  }

  const traceParentOf = async ({ eventId }: { eventId: string }) =>
    (await kernel.database.query('select trace_parent from kernel_outbox_event where event_id = $1', [eventId]))[0]!
      .trace_parent as string | null;

  describe('without an SDK', () => {
    it('are nowhere: nothing is kept, and the webhook has the traceparent that it always had', async () => {
      const event = await publish('t.v1', W3C);
      expect(await traceParentOf(event)).toBeNull();
      expect((await webhookOf(event)).headers.traceparent).toMatch(new RegExp(`^00-${W3C}-[0-9a-f]{16}-01$`));
    });
  });

  describe('with an SDK', () => {
    beforeAll(() => {
      context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
      trace.setGlobalTracerProvider(
        new TracerProvider({ sampler, spanProcessors: [new SimpleSpanProcessor({ exporter })] }),
      );
    });
    afterAll(() => {
      trace.disable();
      context.disable();
    });

    it.each(['t.v1', 'ordered.v1'])(
      'lead from the request through publish to route, attempt and POST: %s',
      async (type) => {
        const { event, host } = await publishInSpan(type);
        const spans = await spansOf(host, 5);
        const [publishing] = spans.get(`publish ${type}`)!;
        const [routing] = spans.get(`route ${type}`)!;
        const [attempt] = spans.get(`attempt ${type}`)!;
        const [post] = spans.get('POST')!;

        expect(publishing).toMatchObject({
          kind: SpanKind.PRODUCER,
          parentSpanContext: { spanId: host.spanId },
          attributes: { 'messaging.message.id': event.eventId },
        });
        const { spanId } = publishing!.spanContext();
        expect(routing).toMatchObject({ kind: SpanKind.INTERNAL, parentSpanContext: { spanId } });
        expect(attempt).toMatchObject({
          kind: SpanKind.CONSUMER,
          parentSpanContext: { spanId },
          links: [{ context: { spanId } }],
          attributes: { 'kernel.outcome': 'delivered' },
          status: { code: SpanStatusCode.UNSET },
        });
        expect(post).toMatchObject({
          kind: SpanKind.CLIENT,
          parentSpanContext: { spanId: attempt!.spanContext().spanId },
          attributes: { 'http.response.status_code': 204 },
          status: { code: SpanStatusCode.UNSET },
        });
        expect(await traceParentOf(event)).toBe(`00-${host.traceId}-${spanId}-01`);
      },
    );

    it('have the attributes of the semantic conventions from their start, where a sampler sees them', async () => {
      const { event, host } = await publishInSpan('t.v1');
      await spansOf(host, 5);
      const messaging = { 'messaging.system': 'kernel-eventbus', 'messaging.destination.name': 't.v1' };
      expect(sampler.sawOf(host, 'publish t.v1')).toEqual({
        ...messaging,
        'messaging.operation.name': 'publish',
        'messaging.operation.type': 'send',
      });
      expect(sampler.sawOf(host, 'route t.v1')).toEqual({
        ...messaging,
        'messaging.operation.name': 'route',
        'messaging.message.id': event.eventId,
      });
      expect(sampler.sawOf(host, 'attempt t.v1')).toEqual({
        ...messaging,
        'messaging.operation.name': 'attempt',
        'messaging.operation.type': 'process',
        'messaging.message.id': event.eventId,
        'kernel.trace_id': host.traceId,
        'kernel.tenant_id': tenantId,
        'kernel.endpoint_id': expect.any(String),
        'kernel.delivery_id': expect.any(String),
        'kernel.attempt': 1,
      });
      const { port } = new URL(receiver.url);
      expect(sampler.sawOf(host, 'POST')).toEqual({
        'http.request.method': 'POST',
        'server.address': '127.0.0.1',
        'server.port': Number(port),
        'url.full': `http://127.0.0.1:${port}/hook`,
      });
    });

    it.each([
      [['t.v1', 't.v1'], 'publish t.v1', { 'messaging.destination.name': 't.v1', 'messaging.batch.message_count': 2 }],
      [
        ['t.v1', 'ordered.v1'],
        'publish',
        { 'kernel.event_types': ['t.v1', 'ordered.v1'], 'messaging.batch.message_count': 2 },
      ],
    ])('count the messages of a batch, and name its destination if it is one: %j', async (types, name, attributes) => {
      const span = trace.getTracer('host').startSpan('batch');
      const events = await context.with(trace.setSpan(context.active(), span), () =>
        kernel.em.fork().transactional((em) =>
          kernel.outbox.publishAll(
            types.map((type) => ({ tenantId, type, streamKey: randomUUID() })),
            { em },
          ),
        ),
      );
      await Promise.all(events.map((event) => webhookOf(event)));
      expect(sampler.sawOf(span.spanContext(), name)).toEqual({
        'messaging.system': 'kernel-eventbus',
        'messaging.operation.name': 'publish',
        'messaging.operation.type': 'send',
        ...attributes,
      });
    });

    it('keep a POST beneath its attempt when a dispatcher invokes it from elsewhere', async () => {
      const { event, host } = await publishInSpan('queued.v1');
      const spans = await spansOf(host, 5);
      const [attempt] = spans.get('attempt queued.v1')!;
      const [post] = spans.get('POST')!;
      expect(post!.parentSpanContext!.spanId).toBe(attempt!.spanContext().spanId);
      expect((await webhookOf(event)).headers.traceparent).toBe(`00-${host.traceId}-${post!.spanContext().spanId}-01`);
    });

    it('show why a POST has no answer', async () => {
      const { host } = await publishInSpan('unreachable.v1');
      const [post] = (await spansOf(host, 5)).get('POST')!;
      expect(post).toMatchObject({
        status: { code: SpanStatusCode.ERROR },
        attributes: { 'error.type': 'connection', 'url.full': 'http://127.0.0.1:1/' },
      });
      expect(post!.attributes).not.toHaveProperty(['http.response.status_code']);
    });

    it("take the running span's trace id for an event that has none, and are the receiver's parent", async () => {
      const { event, host } = await publishInSpan('t.v1');
      expect(event.traceId).toBe(host.traceId);
      const [post] = (await spansOf(host, 5)).get('POST')!;
      expect((await webhookOf(event)).headers.traceparent).toBe(`00-${host.traceId}-${post!.spanContext().spanId}-01`);
    });

    it("leave an event's own trace id alone, and the traceparent that is made of it", async () => {
      const { event, host } = await publishInSpan('t.v1', 'order-42-of-today');
      expect(event.traceId).toBe('order-42-of-today');
      const [attempt] = (await spansOf(host, 5)).get('attempt t.v1')!;
      expect(attempt!.attributes['kernel.trace_id']).toBe('order-42-of-today');
      const derived = hash('sha256', 'order-42-of-today', 'hex').slice(0, 32);
      expect((await webhookOf(event)).headers.traceparent).toMatch(new RegExp(`^00-${derived}-[0-9a-f]{16}-01$`));
    });

    it('show an attempt that failed, and the next one beside it', async () => {
      receiver.answers(503);
      const { event, host } = await publishInSpan('t.v1');
      await webhookOf(event, 2);
      const spans = await spansOf(host, 7);
      const attempts = spans.get('attempt t.v1')!;
      expect(attempts.map(({ status, attributes }) => [status.code, attributes['kernel.outcome']])).toEqual([
        [SpanStatusCode.ERROR, 'retry'],
        [SpanStatusCode.UNSET, 'delivered'],
      ]);
      expect(attempts[0]!.attributes['error.type']).toBe('http_5xx');
      const posts = spans.get('POST')!;
      expect(posts[0]).toMatchObject({
        status: { code: SpanStatusCode.ERROR },
        attributes: { 'error.type': '503', 'http.response.status_code': 503 },
      });
      expect(posts[1]!.attributes).toMatchObject({ 'http.request.resend_count': 1 });
    });

    it('show a publication that was refused', async () => {
      const event = { tenantId, type: 'refused.v1', streamKey: 's:1', traceId: 'trace-0001' };
      await expect(kernel.outbox.publish(event)).rejects.toThrow('transaction');
      const [refused] = exporter.getFinishedSpans().filter(({ name }) => name === 'publish refused.v1');
      expect(refused).toMatchObject({
        status: { code: SpanStatusCode.ERROR },
        attributes: { 'error.type': 'OutboxTransactionRequiredError' },
      });
    });

    it('give a request without a trace the trace of its span', async () => {
      const span = trace.getTracer('host').startSpan('GET /nothing');
      const handler = kernel.app.getHttpAdapter().getInstance() as (...args: unknown[]) => unknown;
      const traced = (...args: unknown[]) =>
        context.with(trace.setSpan(context.active(), span), () => handler(...args));
      const { headers } = await request(traced).get('/nothing');
      expect(headers['x-trace-id']).toBe(span.spanContext().traceId);
    });
  });
});
