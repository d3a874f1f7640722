import { createTestDatabase, type TestDatabase } from '@kernel/test-support/test-database';
import { readColumns, readIndexes } from './catalog.js';

describe('the storage model', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  it("[KER-4.1] kernel_outbox_event has the seed's columns and indexes", async () => {
    expect(await readColumns(database, 'kernel_outbox_event')).toMatchObject({
      event_id: 'uuid not null',
      tenant_id: 'uuid not null',
      stream_key: 'text not null',
      type: 'text not null',
      occurred_at: 'timestamp with time zone not null',
      trace_id: 'text not null',
      actor_id: 'uuid null',
      payload_jsonb: 'jsonb not null',
      status: 'text not null',
      created_at: 'timestamp with time zone not null',
    });
    expect(await readIndexes(database, 'kernel_outbox_event')).toEqual(
      expect.arrayContaining([
        'primary key (event_id)',
        '(tenant_id, stream_key, occurred_at)',
        '(status, created_at)',
      ]),
    );
  });

  it("[KER-4.2] kernel_webhook_endpoint has the seed's columns", async () => {
    expect(await readColumns(database, 'kernel_webhook_endpoint')).toMatchObject({
      tenant_id: 'uuid not null',
      endpoint_id: 'uuid not null',
      url: 'text not null',
      subscribed_types: 'text[] not null',
      signing_secret_alias: 'text not null',
      is_enabled: 'boolean not null',
      created_at: 'timestamp with time zone not null',
    });
    expect(await readIndexes(database, 'kernel_webhook_endpoint')).toContain('primary key (endpoint_id)');
  });

  it("[KER-4.3] kernel_webhook_delivery has the seed's columns, unique per endpoint and event", async () => {
    expect(await readColumns(database, 'kernel_webhook_delivery')).toMatchObject({
      delivery_id: 'uuid not null',
      tenant_id: 'uuid not null',
      endpoint_id: 'uuid not null',
      event_id: 'uuid not null',
      status: 'text not null',
      attempts: 'integer not null',
      last_status_code: 'integer null',
      trace_id: 'text not null',
      next_attempt_at: 'timestamp with time zone null',
      last_error_ref: 'text null',
      created_at: 'timestamp with time zone not null',
    });
    expect(await readIndexes(database, 'kernel_webhook_delivery')).toEqual(
      expect.arrayContaining(['primary key (delivery_id)', 'unique (endpoint_id, event_id)']),
    );
  });

  it('[AC1] [KFM-1] the outbox has the columns of aggregate, hash, attributes and publication', async () => {
    expect(await readColumns(database, 'kernel_outbox_event')).toMatchObject({
      aggregate_type: 'text null',
      aggregate_id: 'text null',
      payload_hash: 'text not null',
      attributes: 'jsonb not null',
      published_at: 'timestamp with time zone null',
    });
  });

  it('[ADR-3] a delivery keeps retry count, next retry, last error, its class and its time', async () => {
    expect(await readColumns(database, 'kernel_webhook_delivery')).toMatchObject({
      attempts: 'integer not null',
      next_attempt_at: 'timestamp with time zone null',
      last_error: 'text null',
      error_class: 'text null',
      last_error_at: 'timestamp with time zone null',
    });
  });

  it('[ADR-12] the outbox is partitioned by ranges of event_id, with a DEFAULT partition', async () => {
    const [table] = await database.query<{ key: string }>(
      `select pg_get_partkeydef('kernel_outbox_event'::regclass) as key`,
    );
    expect(table).toEqual({ key: 'RANGE (event_id)' });
    const partitions = await database.query<{ bounds: string }>(
      `select pg_get_expr(relpartbound, oid) as bounds from pg_class
        where oid in (select inhrelid from pg_inherits where inhparent = 'kernel_outbox_event'::regclass)`,
    );
    expect(partitions).toContainEqual({ bounds: 'DEFAULT' });
  });

  it.each([
    ['kernel_outbox_event', ['PENDING', 'PUBLISHED']],
    ['kernel_webhook_delivery', ['PENDING', 'DELIVERED', 'FAILED', 'DLQ']],
  ])('[KER-4.1] [KER-4.3] %s knows the statuses %p and no other', async (table, statuses) => {
    const [check] = await database.query<{ definition: string }>(
      `select pg_get_constraintdef(oid) as definition from pg_constraint where conname = $1`,
      [`${table}_status_check`],
    );
    expect([...check!.definition.matchAll(/'(\w+)'/g)].map(([, status]) => status)).toEqual(statuses);
  });
});
