import { randomUUID } from 'node:crypto';
import {
  DispatcherConfigurationError,
  InvocationDeferredError,
  type BroadcastMiddleware,
  type EndpointInvokerMiddleware,
} from '@kernel/eventbus';
import { waitFor, WebhookReceiver } from '@kernel/eventbus/testing';
import { startKernelApp, type KernelApp, type KernelAppOptions } from '../../../../test/support/kernel-app.js';

const tenantId = randomUUID();

describe('middleware', () => {
  let kernel: KernelApp | undefined;
  let receiver: WebhookReceiver;
  beforeEach(async () => {
    receiver = await WebhookReceiver.start();
  });
  afterEach(async () => {
    await kernel?.close();
    kernel = undefined;
    await receiver.stop();
  });

  const start = async (options: KernelAppOptions) => {
    kernel = await startKernelApp(options);
    await kernel.addEndpoint({ tenantId, url: receiver.url, types: ['t.v1'] });
    return kernel;
  };
  const publish = (payload: Record<string, unknown> = {}, type = 't.v1') =>
    kernel!.outbox.publishDetached({ tenantId, type, streamKey: 's:1', traceId: 'trace-0001', payload });
  const rows = <Row extends object>(statement: string) => kernel!.database.query<Row>(statement);
  const published = () =>
    waitFor(
      async () =>
        (await rows<{ status: string }>('select status from kernel_outbox_event')).every(
          ({ status }) => status === 'PUBLISHED',
        ),
      'all events to be published',
    );

  describe('around every attempt', () => {
    it('[FR-021] [FR-021a] [FR-021b] [FR-022] [FR-010a] [FR-010c] [SC-007] runs in order, at retries too, and may change the request', async () => {
      receiver.answers(500, 204);
      const ran: string[] = [];
      const named = (name: string): EndpointInvokerMiddleware => ({
        name,
        invoke: async ({ request, delivery }, next) => {
          ran.push(`${name} ${delivery.attempt}`);
          request.headers[`x-${name}`] = String(delivery.attempt);
          const result = await next();
          ran.push(`${name} ${delivery.attempt} ${result.kind === 'response' ? result.statusCode : result.errorClass}`);
          return result;
        },
      });
      await start({ invokerMiddleware: [named('first'), named('second')] });
      await publish();
      const [, retried] = await receiver.receives(2);
      expect(ran).toEqual([
        ...['first 1', 'second 1', 'second 1 500', 'first 1 500'],
        ...['first 2', 'second 2', 'second 2 204', 'first 2 204'],
      ]);
      expect(retried!.headers).toMatchObject({ 'x-first': '2', 'x-second': '2', 'x-trace-id': 'trace-0001' });
      expect(retried!.headers['webhook-signature']).toMatch(/^v1,/);
    });

    it('[FR-021b] one called `signing` takes the place of ours', async () => {
      const signing: EndpointInvokerMiddleware = {
        name: 'signing',
        invoke: ({ request }, next) => {
          request.headers.authorization = 'Own scheme';
          return next();
        },
      };
      await start({ invokerMiddleware: [signing] });
      await publish();
      const [webhook] = await receiver.receives(1);
      expect(webhook!.headers.authorization).toBe('Own scheme');
      expect(webhook!.headers['webhook-signature']).toBeUndefined();
    });

    it('[FR-011] what it throws fails this delivery and no other; a fault of our own costs no attempt', async () => {
      let times = 0;
      const moody: EndpointInvokerMiddleware = {
        name: 'moody',
        invoke: ({ delivery }, next) => {
          if (delivery.type === 'throws.v1') {
            throw new Error('not this one');
          }
          if (delivery.type === 'defers.v1' && times++ === 0) {
            throw new InvocationDeferredError('not_yet', 'try again');
          }
          return next();
        },
      };
      await start({ invokerMiddleware: [moody], retry: { maxAttempts: 1 } });
      await rows(`update kernel_webhook_endpoint set subscribed_types = '{t.v1,throws.v1,defers.v1}'`);
      await publish({}, 'throws.v1');
      await publish({}, 'defers.v1');
      await publish();
      await receiver.receives(2);
      await waitFor(
        async () =>
          (
            await rows<{ settled: boolean }>('select settled_at is not null as settled from kernel_webhook_delivery')
          ).every(({ settled }) => settled),
        'all to be settled',
      );
      expect(
        await rows('select event_type, status, attempts, last_error from kernel_webhook_delivery order by event_type'),
      ).toMatchObject([
        { event_type: 'defers.v1', status: 'DELIVERED', attempts: 1 },
        { event_type: 't.v1', status: 'DELIVERED', attempts: 1 },
        { event_type: 'throws.v1', status: 'DLQ', attempts: 1, last_error: 'not this one' },
      ]);
    });

    it('two of one name stop the start', async () => {
      const twice: EndpointInvokerMiddleware = { name: 'twice', invoke: (_invocation, next) => next() };
      await expect(startKernelApp({ invokerMiddleware: [twice, twice] })).rejects.toThrow(DispatcherConfigurationError);
    });
  });

  describe('around the fan-out of an event', () => {
    const recording = (ran: string[], name: string): BroadcastMiddleware => ({
      name,
      broadcast: async (event, next) => {
        ran.push(`${name} ${String(event.payload.n)}`);
        const { deliveries } = await next();
        ran.push(`${name} ${String(event.payload.n)} ${deliveries}`);
      },
    });

    it('[FR-020] [FR-020a] [FR-022] [SC-007] runs once per event, in order, until its deliveries are written', async () => {
      const ran: string[] = [];
      await start({ broadcastMiddleware: [recording(ran, 'outer'), recording(ran, 'inner')] });
      await kernel!.addEndpoint({ tenantId, url: receiver.url, types: ['t.v1'] });
      await publish({ n: 1 });
      await receiver.receives(2);
      await waitFor(() => ran.length === 4, 'the middleware to end');
      expect(ran).toEqual(['outer 1', 'inner 1', 'inner 1 2', 'outer 1 2']);
    });

    it('[FR-020] without a call of next the event is published to nobody, and the ledger says who stopped it', async () => {
      const stopping: BroadcastMiddleware = {
        name: 'quiet',
        broadcast: async (event, next) => (event.payload.isSecret ? undefined : next()),
      };
      await start({ broadcastMiddleware: [stopping] });
      const secret = await publish({ isSecret: true });
      await publish({ isSecret: false });
      await receiver.receives(1);
      await published();
      expect(await rows('select event_id from kernel_webhook_delivery')).not.toContainEqual({
        event_id: secret.eventId,
      });
      expect(await rows(`select event_id, detail from kernel_ledger_entry where kind = 'short-circuited'`)).toEqual([
        { event_id: secret.eventId, detail: { middleware: 'quiet' } },
      ]);
    });

    it('what it throws leaves the event pending and the others go on', async () => {
      const failing: BroadcastMiddleware = {
        name: 'failing',
        broadcast: async (event, next) => {
          if (event.payload.isBad) {
            throw new Error('no');
          }
          await next();
        },
      };
      await start({ broadcastMiddleware: [failing] });
      const bad = await publish({ isBad: true });
      await publish({ isBad: false });
      await receiver.receives(1);
      expect(await rows(`select event_id from kernel_outbox_event where status = 'PENDING'`)).toEqual([
        { event_id: bad.eventId },
      ]);
    });

    it('runs once per event although two workers route', async () => {
      const ran: string[] = [];
      await start({ broadcastMiddleware: [recording(ran, 'one')] });
      const other = await startKernelApp({
        broadcastMiddleware: [recording(ran, 'one')],
        database: kernel!.database,
      });
      await Promise.all(Array.from({ length: 30 }, (_, n) => publish({ n })));
      await receiver.receives(30);
      await waitFor(() => ran.length >= 60, 'the middleware to end');
      expect(new Set(ran).size).toBe(60);
      expect(ran).toHaveLength(60);
      await other.close();
    });
  });
});
