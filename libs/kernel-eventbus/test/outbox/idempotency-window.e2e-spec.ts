import { randomUUID } from 'node:crypto';
import { IdempotencyKeyRequiredError } from '../../src/eventbus.errors.js';
import { defineEvent } from '../../src/envelope/define-event.js';
import { type PublishableEvent } from '../../src/envelope/publishable-event.js';
import type { KernelApp } from '@kernel/test-support/kernel-app';
import { createTestDatabase, type TestDatabase } from '@kernel/test-support/test-database';
import { RetentionKeeper } from '../../src/upkeep/retention-keeper.js';
import { publish, startPublisher, tenantId, UNORDERED } from './publisher.js';

describe('the window of idempotency keys', () => {
  let database: TestDatabase;
  let kernel: KernelApp;
  beforeAll(async () => {
    database = await createTestDatabase();
    kernel = await startPublisher(database, {
      idempotency: { isKeyRequired: true, windowDays: 10 },
      events: [defineEvent({ type: UNORDERED, idempotencyKey: 'optional', ordering: 'none' })],
    });
  });
  afterAll(async () => {
    await kernel.close();
    await database.drop();
  });

  const keyed = (idempotencyKey: string): PublishableEvent => ({
    type: 'artifact.published.v1',
    tenantId,
    streamKey: `artifact:${idempotencyKey}`,
    traceId: 'trace-0001',
    payload: { checksum: 'sha256:1' },
    idempotencyKey,
  });
  const age = (key: string, days: number) =>
    database.query(`update kernel_idempotency_key set created_at = created_at - $2 * interval '1 day' where key = $1`, [
      key,
      days,
    ]);
  const keys = async () =>
    (await database.query<{ key: string }>('select key from kernel_idempotency_key order by key')).map(
      ({ key }) => key,
    );

  it("[KFM-5] answers a repeat although its first event's partition is dropped", async () => {
    const event = keyed('outlives-its-event');
    const [first] = await publish(kernel, event);
    const [{ partition }] = (await database.query<{ partition: string }>(
      'select tableoid::regclass::text as partition from kernel_outbox_event where event_id = $1',
      [first!.eventId],
    )) as [{ partition: string }];
    expect(partition).toMatch(/^kernel_outbox_event_p/);
    await database.query(`drop table ${partition}`);
    await age('outlives-its-event', 9);

    const [second] = await publish(kernel, event);
    expect(second).toEqual({ ...first, duplicateDetected: true });
    expect(await database.query('select from kernel_outbox_event')).toEqual([]);
  });

  it('[KFM-5] frees a key when it is over, pruned or not, also for something else', async () => {
    const event = keyed('expired');
    await publish(kernel, event);
    await age('expired', 11);
    const [another] = await publish(kernel, { ...event, payload: { checksum: 'sha256:2' } });
    expect(another).not.toHaveProperty('duplicateDetected');
    expect(
      await database.query('select from kernel_outbox_event where stream_key = $1', [event.streamKey]),
    ).toHaveLength(2);
  });

  it('[KFM-5] is what retention prunes keys by', async () => {
    await publish(kernel, keyed('old'), keyed('young'));
    await age('old', 11);
    await age('young', 9);
    expect(await keys()).toEqual(expect.arrayContaining(['old', 'young']));
    expect(await kernel.app.get(RetentionKeeper).round()).toMatchObject({ idempotencyKeys: 1 });
    expect(await keys()).toEqual(expect.arrayContaining(['young']));
    expect(await keys()).not.toContain('old');
  });

  it('[KFM-11] every event needs a key where the module demands it, unless its type says otherwise', async () => {
    const streamKey = `artifact:${randomUUID()}`;
    const event = { type: 'artifact.published.v1', tenantId, streamKey, traceId: 'trace-0001' };
    await expect(publish(kernel, event)).rejects.toThrow(IdempotencyKeyRequiredError);
    await publish(kernel, { ...event, type: UNORDERED });
    expect(await database.query('select type from kernel_outbox_event where stream_key = $1', [streamKey])).toEqual([
      { type: UNORDERED },
    ]);
  });
});
