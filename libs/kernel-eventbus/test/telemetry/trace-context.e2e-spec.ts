import { randomUUID } from 'node:crypto';
import { defineEvent, EventHandler, OutboxService } from '@kernel/eventbus';
import { waitFor, WebhookReceiver } from '@kernel/eventbus/testing';
import { EntityManager } from '@mikro-orm/postgresql';
import { Controller, Injectable, Post } from '@nestjs/common';
import request from 'supertest';
import { startKernelApp, type KernelApp } from '@kernel/test-support/kernel-app';
import { retainEnvelopes } from '../../src/upkeep/partitions.sql.js';
import { timeMsOf } from '../../src/envelope/partition-range.js';

const tenantId = randomUUID();
const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT_ID = '00f067aa0ba902b7';
const STATE = 'rojo=00f067aa0ba902b7,congo=t61rcWkgMzE';

const HANDLED = defineEvent({ type: 'handled.v1' });

@Controller('orders')
class OrdersController {
  constructor(
    private readonly em: EntityManager,
    private readonly outbox: OutboxService,
  ) {}

  /** Two events are written by another statement than one. */
  @Post()
  place() {
    const event = { tenantId, type: 'placed.v1', streamKey: 'order:1' };
    return this.em.fork().transactional((em) => this.outbox.publishAll([event, event], { em }));
  }

  @Post('single')
  placeSingle() {
    const event = { tenantId, type: 'placed.v1', streamKey: 'order:2' };
    return this.em.fork().transactional(async (em) => [await this.outbox.publish(event, { em })]);
  }

  @Post('handled')
  handle() {
    const event = { tenantId, type: 'handled.v1', streamKey: 'order:3' };
    return this.em.fork().transactional(async (em) => [await this.outbox.publish(event, { em })]);
  }
}

@Injectable()
class FollowUp {
  constructor(private readonly outbox: OutboxService) {}

  @EventHandler(HANDLED, { name: 'follow-up' })
  async follow(_event: unknown, em: EntityManager): Promise<void> {
    await this.outbox.publish({ tenantId, type: 'placed.v1', streamKey: 'followed:1' }, { em });
  }
}

class OrdersModule {}

describe('the trace context of a request, without an SDK', () => {
  let kernel: KernelApp;
  let receiver: WebhookReceiver;
  beforeAll(async () => {
    receiver = await WebhookReceiver.start();
    kernel = await startKernelApp({
      events: [HANDLED],
      imports: [{ module: OrdersModule, controllers: [OrdersController], providers: [FollowUp] }],
    });
    await kernel.addEndpoint({ tenantId, url: receiver.url, types: ['placed.v1'] });
  });
  afterAll(async () => {
    await kernel.close();
    await receiver.stop();
  });

  const post = async (path: string, headers: Record<string, string>) => {
    const { body } = await request(kernel.app.getHttpServer()).post(path).set(headers).expect(201);
    return (body as { eventId: string }[]).map(({ eventId }) => eventId);
  };
  const webhooksOf = async (found: (headers: Record<string, unknown>) => boolean, count = 1) => {
    const webhooks = () => receiver.received.filter(({ headers }) => found(headers));
    await waitFor(() => webhooks().length >= count, 'the webhooks');
    return webhooks().map(({ headers }) => headers);
  };
  const sentFor = (ids: string[]) => webhooksOf((headers) => ids.includes(String(headers['webhook-id'])), ids.length);

  it.each(['/orders', '/orders/single'])('reaches the receiver with its flag and its state: %s', async (path) => {
    for (const flag of ['00', '01']) {
      const ids = await post(path, { traceparent: `00-${TRACE_ID}-${PARENT_ID}-${flag}`, tracestate: STATE });
      for (const headers of await sentFor(ids)) {
        expect(headers).toMatchObject({ 'x-trace-id': TRACE_ID, tracestate: STATE });
        expect(headers['traceparent']).toMatch(new RegExp(`^00-${TRACE_ID}-(?!${PARENT_ID})[0-9a-f]{16}-${flag}$`));
      }
    }
  });

  it('keeps the flag when x-trace-id names another trace', async () => {
    const traceparent = `00-${TRACE_ID}-${PARENT_ID}-00`;
    const [headers] = await sentFor(await post('/orders/single', { 'x-trace-id': 'order-42-of-today', traceparent }));
    expect(headers!['x-trace-id']).toBe('order-42-of-today');
    expect(headers!['traceparent']).toMatch(/-00$/);
    expect(headers).not.toHaveProperty('tracestate');
  });

  it('is that of no request if traceparent is invalid', async () => {
    const traceparent = `ff-${TRACE_ID}-${PARENT_ID}-00`;
    const ids = await post('/orders/single', { traceparent, tracestate: STATE });
    const [headers] = await sentFor(ids);
    expect(headers!['traceparent']).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
    expect(headers!['traceparent']).not.toContain(TRACE_ID);
    expect(headers).not.toHaveProperty('tracestate');
    expect(
      await kernel.database.query('select trace_parent, trace_state from kernel_outbox_event where event_id = $1', ids),
    ).toEqual([{ trace_parent: null, trace_state: null }]);
  });

  it('goes on through a handler to the events that it publishes', async () => {
    await post('/orders/handled', { traceparent: `00-${TRACE_ID}-${PARENT_ID}-00`, tracestate: STATE });
    const [headers] = await webhooksOf((sent) => sent['x-kernel-stream-key'] === 'followed:1');
    expect(headers).toMatchObject({ 'x-trace-id': TRACE_ID, tracestate: STATE });
    expect(headers!['traceparent']).toMatch(/-00$/);
  });

  it('is kept with the envelope beyond the partition, and cannot be changed', async () => {
    const [eventId] = await post('/orders/single', {
      traceparent: `00-${TRACE_ID}-${PARENT_ID}-00`,
      tracestate: STATE,
    });
    const change = (set: string) =>
      kernel.database.query(`update kernel_outbox_event set ${set} where event_id = $1`, [eventId]);
    await expect(change(`trace_state = 'a=1'`)).rejects.toThrow();
    await sentFor([eventId!]);
    await waitFor(async () => {
      const [row] = await kernel.database.query('select status from kernel_webhook_delivery where event_id = $1', [
        eventId,
      ]);
      return row?.status === 'DELIVERED';
    }, 'the delivery to be recorded');
    await kernel.database.query(`update kernel_webhook_delivery set status = 'DLQ' where event_id = $1`, [eventId]);
    const atMs = timeMsOf(eventId!);
    await retainEnvelopes(kernel.em.fork().getKysely(), { fromMs: atMs, toMs: atMs + 1 });
    expect(
      await kernel.database.query('select trace_state from kernel_retained_event where event_id = $1', [eventId]),
    ).toEqual([{ trace_state: STATE }]);
  });
});
