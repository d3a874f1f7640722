import { randomUUID } from 'node:crypto';
import { AggregateRoot, CqrsModule, EventBus, EventPublisher, EventsHandler, type IEventHandler } from '@nestjs/cqrs';
import { EventBusCqrsModule } from '@kernel/eventbus/cqrs';
import { startKernelApp, type KernelApp } from '@kernel/test-support/kernel-app';
import { z } from 'zod';
import { defineEvent } from '../../src/envelope/define-event.js';
import { InvalidEventError, OutboxTransactionRequiredError } from '../../src/eventbus.errors.js';

const OrderPlaced = defineEvent({ type: 'order.placed.v1', schema: z.object({ total: z.int() }) });
const tenantId = randomUUID();

class OrderPlacedEvent {
  constructor(
    readonly orderId: string,
    readonly total: number,
    readonly idempotencyKey?: string,
  ) {}
}

class OrderSeenEvent {
  constructor(readonly orderId: string) {}
}

const handled: unknown[] = [];

@EventsHandler(OrderPlacedEvent, OrderSeenEvent)
class RecordingHandler implements IEventHandler {
  handle(event: unknown): void {
    handled.push(event);
  }
}

class Order extends AggregateRoot {
  constructor(readonly id: string) {
    super();
  }

  place(total: number, idempotencyKey?: string): void {
    this.apply(new OrderPlacedEvent(this.id, total, idempotencyKey));
    this.apply(new OrderSeenEvent(this.id));
  }
}

describe('the event bus of @nestjs/cqrs', () => {
  let kernel: KernelApp;
  beforeAll(async () => {
    kernel = await startKernelApp({
      role: 'api',
      events: [OrderPlaced],
      imports: [
        CqrsModule.forRoot(),
        EventBusCqrsModule.forRoot({
          toOutbox: (event) =>
            event instanceof OrderPlacedEvent
              ? OrderPlaced.of({
                  ...{ tenantId, streamKey: event.orderId, idempotencyKey: event.idempotencyKey },
                  payload: { total: event.total },
                })
              : undefined,
        }),
      ],
      providers: [RecordingHandler],
    });
  });
  beforeEach(() => handled.splice(0));
  afterAll(() => kernel.close());

  const newOrder = () => kernel.app.get(EventPublisher).mergeObjectContext(new Order(randomUUID()));
  const totalsOf = async ({ id }: Order) =>
    (
      await kernel.database.query<{ total: number }>(
        `select (payload_jsonb->>'total')::float8 as total from kernel_outbox_event where stream_key = $1
         order by stream_sequence`,
        [id],
      )
    ).map((row) => row.total);

  it('publishes the integration events of a commit through the outbox, and the others in the process', async () => {
    const order = newOrder();
    await kernel.em.transactional(async () => {
      order.place(5);
      order.commit();
      expect(await totalsOf(order)).toEqual([]);
    });
    expect(await totalsOf(order)).toEqual([5]);
    expect(handled).toEqual([new OrderSeenEvent(order.id)]);
  });

  it('waits for events whose publication takes a query', async () => {
    const order = newOrder();
    await kernel.em.transactional(() => {
      order.place(5, `key-${order.id}`);
      order.commit();
      return Promise.resolve();
    });
    expect(await totalsOf(order)).toEqual([5]);
  });

  it('publishes nothing when the transaction rolls back', async () => {
    const order = newOrder();
    const work = kernel.em.transactional(() => {
      order.place(5);
      order.commit();
      return Promise.reject(new Error('changed my mind'));
    });
    await expect(work).rejects.toThrow('changed my mind');
    expect(await totalsOf(order)).toEqual([]);
  });

  it.each([undefined, 'with-a-key'])('fails the transaction if an event is refused (key: %s)', async (key) => {
    const [order, refused] = [newOrder(), newOrder()];
    const work = kernel.em.transactional(() => {
      order.place(5);
      order.commit();
      refused.place(1.5, key);
      refused.commit();
      return Promise.resolve();
    });
    await expect(work).rejects.toThrow(InvalidEventError);
    expect([await totalsOf(order), await totalsOf(refused)]).toEqual([[], []]);
  });

  it('fails a nested transaction alone if its event is refused', async () => {
    const [order, refused] = [newOrder(), newOrder()];
    await kernel.em.transactional(async (em) => {
      order.place(5);
      order.commit();
      const nested = em.transactional(() => {
        refused.place(1.5);
        refused.commit();
        return Promise.resolve();
      });
      await expect(nested).rejects.toThrow(InvalidEventError);
    });
    expect([await totalsOf(order), await totalsOf(refused)]).toEqual([[5], []]);
  });

  it('refuses an integration event without a transaction, and tells no handler of the others', () => {
    const order = newOrder();
    order.place(5);
    expect(() => order.commit()).toThrow(OutboxTransactionRequiredError);
    expect(handled).toEqual([]);
    expect(order.getUncommittedEvents()).toHaveLength(2);
  });

  it('publishes events that are given to the bus itself', async () => {
    const order = newOrder();
    await kernel.em.transactional(() => {
      kernel.app.get(EventBus).publish(new OrderPlacedEvent(order.id, 7));
      return Promise.resolve();
    });
    expect(await totalsOf(order)).toEqual([7]);
  });
});
