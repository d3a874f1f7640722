import { BroadcastLateError, DispatcherConfigurationError } from '../../src/eventbus.errors.js';
import { InvocationDeferredError } from '../../src/dispatch/invocation-deferred.error.js';
import { type BroadcastMiddleware } from '../../src/dispatch/broadcast-middleware.js';
import { type EndpointInvokerMiddleware } from '../../src/dispatch/endpoint-invoker-middleware.js';
import { waitFor } from '@kernel/eventbus/testing';
import { startKernelApp, type KernelAppOptions } from '@kernel/test-support/kernel-app';
import { closeBenches, startBench, type DispatchBench } from './dispatch-bench.js';

describe('middleware', () => {
  afterEach(closeBenches);

  /** An app with one endpoint for `t.v1`. */
  const start = async (options: KernelAppOptions) => {
    const bench = await startBench(options);
    const endpointId = await bench.addEndpoint();
    return Object.assign(bench, { endpointId });
  };
  const published = (bench: DispatchBench) =>
    waitFor(
      async () =>
        (await bench.rows<{ status: string }>('select status from kernel_outbox_event')).every(
          ({ status }) => status === 'PUBLISHED',
        ),
      'all events to be published',
    );

  describe('around every attempt', () => {
    it('[FR-021] [FR-021a] [FR-021b] [FR-022] [FR-010a] [FR-010c] [SC-007] runs in order, at retries too, and may change the request', async () => {
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
      const bench = await start({ invokerMiddleware: [named('first'), named('second')] });
      bench.receiver.answers(500, 204);
      await bench.publish();
      const [, retried] = await bench.receiver.receives(2);
      await waitFor(() => ran.length >= 8, 'the middleware to hear of both answers');
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
      const bench = await start({ invokerMiddleware: [signing] });
      await bench.publish();
      const [webhook] = await bench.receiver.receives(1);
      expect(webhook!.headers.authorization).toBe('Own scheme');
      expect(webhook!.headers['webhook-signature']).toBeUndefined();
    });

    it('[FR-011] what it throws fails the delivery to this endpoint and no other; a fault of our own costs no attempt', async () => {
      let bad = '';
      let times = 0;
      const moody: EndpointInvokerMiddleware = {
        name: 'moody',
        invoke: ({ delivery }, next) => {
          if (delivery.endpointId === bad) {
            throw new Error('not this one');
          }
          if (times++ === 0) {
            throw new InvocationDeferredError('not_yet', 'try again');
          }
          return next();
        },
      };
      const bench = await start({ invokerMiddleware: [moody], retry: { maxAttempts: 1 } });
      bad = await bench.addEndpoint();
      await bench.publish();
      const delivered = { endpoint_id: bench.endpointId, status: 'DELIVERED', attempts: 1 };
      const dead = {
        endpoint_id: bad,
        status: 'DLQ',
        attempts: 1,
        error_class: 'middleware',
        last_error: 'not this one',
      };
      expect(await bench.settled(2)).toEqual(
        expect.arrayContaining([expect.objectContaining(delivered), expect.objectContaining(dead)]),
      );
      expect(bench.receiver.received).toHaveLength(1);
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
      const bench = await start({ broadcastMiddleware: [recording(ran, 'outer'), recording(ran, 'inner')] });
      await bench.addEndpoint();
      await bench.publish({ n: 1 });
      await bench.receiver.receives(2);
      await waitFor(() => ran.length === 4, 'the middleware to end');
      expect(ran).toEqual(['outer 1', 'inner 1', 'inner 1 2', 'outer 1 2']);
    });

    it('[FR-020] without a call of next the event is published to nobody, and the ledger says who stopped it', async () => {
      const stopping: BroadcastMiddleware = {
        name: 'quiet',
        broadcast: async (event, next) => (event.payload.isSecret ? undefined : next()),
      };
      const invoked: string[] = [];
      const watching: EndpointInvokerMiddleware = {
        name: 'watching',
        invoke: ({ delivery }, next) => {
          invoked.push(delivery.eventId);
          return next();
        },
      };
      const bench = await start({ broadcastMiddleware: [stopping], invokerMiddleware: [watching] });
      const secret = await bench.publish({ isSecret: true });
      const open = await bench.publish({ isSecret: false });
      await bench.receiver.receives(1);
      await published(bench);
      expect(invoked).toEqual([open.eventId]);
      expect(await bench.rows('select event_id from kernel_webhook_delivery')).not.toContainEqual({
        event_id: secret.eventId,
      });
      expect(
        await bench.rows(`select event_id, detail from kernel_ledger_entry where kind = 'short-circuited'`),
      ).toEqual([{ event_id: secret.eventId, detail: { middleware: 'quiet' } }]);
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
      const bench = await start({ broadcastMiddleware: [failing] });
      const bad = await bench.publish({ isBad: true });
      await bench.publish({ isBad: false });
      await bench.receiver.receives(1);
      await waitFor(async () => {
        const pending = await bench.rows<{ event_id: string }>(
          `select event_id from kernel_outbox_event where status = 'PENDING'`,
        );
        return pending.length === 1 && pending[0]!.event_id === bad.eventId;
      }, 'all but the bad event to be routed');
    });

    it('what hangs leaves its own event pending, to be begun again, and stops neither the worker nor its shutdown', async () => {
      const lateErrors: unknown[] = [];
      let begun = 0;
      const release = Promise.withResolvers<void>();
      const hanging: BroadcastMiddleware = {
        name: 'hanging',
        broadcast: async (event, next) => {
          if (event.payload.hangs === 'before') {
            begun++;
            await release.promise;
            await next().catch((error: unknown) => lateErrors.push(error));
            return;
          }
          await next();
          await (event.payload.hangs === 'after' ? new Promise(() => undefined) : undefined);
        },
      };
      const bench = await start({ broadcastMiddleware: [hanging], broadcastTimeoutMs: 300 });
      const bad = await bench.publish({ hangs: 'before' });
      await bench.publish({ hangs: 'after' });
      await bench.publish({});
      await bench.receiver.receives(2);
      await bench.publish({});
      await bench.receiver.receives(3);
      const pending = `select event_id from kernel_outbox_event where status = 'PENDING'`;
      await waitFor(async () => (await bench.rows(pending)).length === 1, 'all but one to be routed');
      expect(await bench.rows(pending)).toEqual([{ event_id: bad.eventId }]);
      release.resolve();
      await waitFor(() => lateErrors.length > 0, 'the late call of next');
      expect(lateErrors[0]).toBeInstanceOf(BroadcastLateError);
      await published(bench);
      expect(begun).toBeGreaterThan(1);
    });

    it('what hangs is given up when the time of a shutdown is over', async () => {
      const begun = Promise.withResolvers<void>();
      const hanging: BroadcastMiddleware = {
        name: 'hanging',
        broadcast: () => {
          begun.resolve();
          return new Promise(() => undefined);
        },
      };
      const bench = await start({
        broadcastMiddleware: [hanging],
        broadcastTimeoutMs: 300_000,
        shutdownTimeoutMs: 100,
      });
      await bench.publish();
      await begun.promise;
      await bench.kernel.app.close();
      expect(await bench.rows(`select status from kernel_outbox_event`)).toEqual([{ status: 'PENDING' }]);
    });

    it('runs once per event although two workers route', async () => {
      const ran: string[] = [];
      const bench = await start({ broadcastMiddleware: [recording(ran, 'one')] });
      const other = await startKernelApp({
        broadcastMiddleware: [recording(ran, 'one')],
        database: bench.kernel.database,
      });
      await Promise.all(Array.from({ length: 30 }, (_, n) => bench.publish({ n })));
      await bench.receiver.receives(30);
      await waitFor(() => ran.length >= 60, 'the middleware to end');
      expect(new Set(ran).size).toBe(60);
      expect(ran).toHaveLength(60);
      await other.close();
    });
  });
});
