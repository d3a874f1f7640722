import { randomUUID } from 'node:crypto';
import { EventHandler } from '../../src/dispatch/handlers/event-handler.decorator.js';
import { DeliveryReplay } from '../../src/replay/delivery-replay.js';
import { Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import type { KernelApp } from '@kernel/test-support/kernel-app';
import { PartitionKeeper } from '../../src/upkeep/partition-keeper.js';
import { RetentionKeeper } from '../../src/upkeep/retention-keeper.js';
import { daysAgo, insertPastDelivery, insertPastEvent, startAt } from '@kernel/test-support/past';

@Injectable()
class Counter {
  @EventHandler({ name: 'counter', types: ['t.v1'] })
  count(): void {}
}

const tenantId = randomUUID();
const OLD_DAYS = 120;

describe('retention of what handlers have processed', () => {
  let kernel: KernelApp;
  let endpointId: string;
  beforeAll(async () => {
    const { kernel: started, clock } = await startAt(daysAgo(OLD_DAYS), { role: 'api', providers: [Counter] });
    kernel = started;
    clock.time = new Date();
    await kernel.app.get(PartitionKeeper).round();
    const [handler] = await kernel.database.query<{ endpoint_id: string }>(
      `select endpoint_id from kernel_webhook_endpoint where dispatcher = 'handler'`,
    );
    endpointId = handler!.endpoint_id;
  });
  afterAll(() => kernel.close());
  beforeEach(() => kernel.database.query('delete from kernel_processed_event'));

  const round = () => kernel.app.get(RetentionKeeper).round();
  const insertProcessed = async (eventId: string, days: number) => {
    await kernel.database.query('insert into kernel_processed_event values ($1, $2, $3)', [
      'counter',
      eventId,
      daysAgo(days),
    ]);
    return eventId;
  };
  const idAt = (days: number) => uuidv7({ msecs: daysAgo(days).getTime() });
  const remembered = async () =>
    (await kernel.database.query<{ event_id: string }>('select event_id from kernel_processed_event')).map(
      ({ event_id }) => event_id,
    );

  it('forgets it batch by batch, when it is old and nothing of the event is left', async () => {
    await kernel.database.query(
      `insert into kernel_processed_event (handler, event_id, processed_at)
       select 'counter', overlay($1::uuid::text placing lpad(to_hex(n), 8, '0') from 29)::uuid, $2
       from generate_series(1, 2500) as n`,
      [idAt(OLD_DAYS), daysAgo(OLD_DAYS)],
    );
    const young = await insertProcessed(idAt(80), 80);
    const processedLate = await insertProcessed(idAt(OLD_DAYS), 10);
    expect(await round()).toMatchObject({ processedEvents: 2_500 });
    expect((await remembered()).toSorted()).toEqual([young, processedLate].toSorted());
  });

  it('remembers it as long as the event or a delivery of it could bring it again', async () => {
    const event = await insertPastEvent(kernel.database, {
      tenantId,
      at: daysAgo(OLD_DAYS - 1),
      createdAt: daysAgo(2),
      status: 'PUBLISHED',
    });
    const delivered = { tenantId, endpointId, eventId: idAt(OLD_DAYS), status: 'DELIVERED', at: daysAgo(1) };
    const deliveryId = await insertPastDelivery(kernel.database, delivered);
    await insertProcessed(event, OLD_DAYS);
    await insertProcessed(delivered.eventId, OLD_DAYS);
    await insertProcessed(idAt(OLD_DAYS), OLD_DAYS);

    expect(await round()).toMatchObject({ processedEvents: 1 });
    expect((await remembered()).toSorted()).toEqual([event, delivered.eventId].toSorted());

    await kernel.database.query('delete from kernel_webhook_delivery');
    expect(await round()).toMatchObject({ processedEvents: 1 });
    expect(await remembered()).toEqual([event]);
    const replay = { deliveryId, actor: 'operator:ada', reason: 'again' };
    expect(await kernel.app.get(DeliveryReplay).replay(replay)).toEqual({ kind: 'not-found' });
  });
});
