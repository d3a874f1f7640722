import { hash, randomUUID } from 'node:crypto';
import { waitFor, WebhookReceiver } from '@kernel/eventbus/testing';
import { context, SpanKind, SpanStatusCode, trace, type SpanContext } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider, type ReadableSpan } from '@opentelemetry/sdk-trace';
import request from 'supertest';
import { startKernelApp, type KernelApp } from '@kernel/test-support/kernel-app';

const tenantId = randomUUID();
const W3C = '4bf92f3577b34da6a3ce929d0e0e4736';

describe('spans', () => {
  const exporter = new InMemorySpanExporter();
  let kernel: KernelApp;
  let receiver: WebhookReceiver;
  beforeAll(async () => {
    receiver = await WebhookReceiver.start();
    kernel = await startKernelApp();
    await kernel.addEndpoint({ tenantId, url: receiver.url, types: ['t.v1'] });
    await kernel.addEndpoint({ tenantId, url: receiver.url, types: ['ordered.v1'], ordering: 'stream' });
  });
  afterAll(async () => {
    await kernel.close();
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
      trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }));
    });
    afterAll(() => {
      trace.disable();
      context.disable();
    });

    it.each(['t.v1', 'ordered.v1'])('lead from the request through publish to route and attempt: %s', async (type) => {
      const { event, host } = await publishInSpan(type);
      const spans = await spansOf(host, 4);
      const [publishing] = spans.get(`publish ${type}`)!;
      const [routing] = spans.get(`route ${type}`)!;
      const [attempt] = spans.get(`attempt ${type}`)!;

      expect(publishing).toMatchObject({ kind: SpanKind.PRODUCER, parentSpanContext: { spanId: host.spanId } });
      const { spanId } = publishing!.spanContext();
      expect(routing).toMatchObject({
        parentSpanContext: { spanId },
        attributes: { 'messaging.message.id': event.eventId },
      });
      expect(attempt).toMatchObject({
        kind: SpanKind.CONSUMER,
        parentSpanContext: { spanId },
        attributes: {
          'messaging.message.id': event.eventId,
          'kernel.trace_id': host.traceId,
          'kernel.outcome': 'delivered',
          'kernel.attempt': 1,
          'http.response.status_code': 204,
        },
        status: { code: SpanStatusCode.UNSET },
      });
      expect(await traceParentOf(event)).toBe(`00-${host.traceId}-${spanId}-01`);
    });

    it("take the running span's trace id for an event that has none, and are the receiver's parent", async () => {
      const { event, host } = await publishInSpan('t.v1');
      expect(event.traceId).toBe(host.traceId);
      const [attempt] = (await spansOf(host, 4)).get('attempt t.v1')!;
      expect((await webhookOf(event)).headers.traceparent).toBe(
        `00-${host.traceId}-${attempt!.spanContext().spanId}-01`,
      );
    });

    it("leave an event's own trace id alone, and the traceparent that is made of it", async () => {
      const { event, host } = await publishInSpan('t.v1', 'order-42-of-today');
      expect(event.traceId).toBe('order-42-of-today');
      const [attempt] = (await spansOf(host, 4)).get('attempt t.v1')!;
      expect(attempt!.attributes['kernel.trace_id']).toBe('order-42-of-today');
      const derived = hash('sha256', 'order-42-of-today', 'hex').slice(0, 32);
      expect((await webhookOf(event)).headers.traceparent).toMatch(new RegExp(`^00-${derived}-[0-9a-f]{16}-01$`));
    });

    it('show an attempt that failed, and the next one beside it', async () => {
      receiver.answers(503);
      const { event, host } = await publishInSpan('t.v1');
      await webhookOf(event, 2);
      const attempts = (await spansOf(host, 5)).get('attempt t.v1')!;
      expect(attempts.map(({ status, attributes }) => [status.code, attributes['kernel.outcome']])).toEqual([
        [SpanStatusCode.ERROR, 'retry'],
        [SpanStatusCode.UNSET, 'delivered'],
      ]);
      expect(attempts[0]!.attributes['error.type']).toBe('http_5xx');
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
