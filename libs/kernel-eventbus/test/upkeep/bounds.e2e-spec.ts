import { randomUUID } from 'node:crypto';
import { EventHandler } from '../../src/dispatch/handlers/event-handler.decorator.js';
import { Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import type { KernelApp } from '@kernel/test-support/kernel-app';
import { PartitionKeeper } from '../../src/upkeep/partition-keeper.js';
import { RetentionKeeper, type RetentionRound } from '../../src/upkeep/retention-keeper.js';
import { daysAgo, startAt } from '@kernel/test-support/past';

@Injectable()
class Counter {
  @EventHandler({ name: 'counter', types: ['t.v1'] })
  count(): void {}
}

const OLD_DAYS = 120;
const [tenantId, endpointId] = [randomUUID(), randomUUID()];
const idAt = (days: number) => uuidv7({ msecs: daysAgo(days).getTime() });
const serial = `overlay($1::uuid::text placing lpad(to_hex(n), 8, '0') from 29)::uuid`;

/** Two and a half batches of each. */
const INSERTS: Record<string, [sql: string, values: unknown[]]> = {
  lanes: [
    `insert into kernel_lane (lane_id, tenant_id, endpoint_id, stream_key, last_sequence)
     select gen_random_uuid(), $1, $2, 's:' || n, 1 from generate_series(1, 2500) as n`,
    [tenantId, endpointId],
  ],
  idempotencyKeys: [
    `insert into kernel_idempotency_key
       (tenant_id, key, event_id, stream_key, type, occurred_at, trace_id, payload_hash, attributes_hash, created_at)
     select $1, 'key ' || n, gen_random_uuid(), 's', 't.v1', $2, 'trace-0001', 'hash', 'hash', $2 from generate_series(1, 2500) as n`,
    [tenantId, daysAgo(OLD_DAYS)],
  ],
  processedEvents: [
    `insert into kernel_processed_event (handler, event_id, processed_at)
     select 'counter', ${serial}, $2 from generate_series(1, 2500) as n`,
    [idAt(OLD_DAYS), daysAgo(OLD_DAYS)],
  ],
  // Ids of a far future: random ones seldom, but sometimes, belong to a partition.
  defaultEvents: [
    `insert into kernel_outbox_event
       (event_id, tenant_id, stream_key, type, occurred_at, trace_id, payload_jsonb, payload_hash, status, created_at)
     select overlay(gen_random_uuid()::text placing 'f' from 1)::uuid, $1, 's', 't.v1', $2, 'trace-0001', '{}', 'hash', 'PUBLISHED', $2 from generate_series(1, 2500)`,
    [tenantId, daysAgo(OLD_DAYS)],
  ],
  deliveries: [
    `insert into kernel_webhook_delivery
       (delivery_id, tenant_id, endpoint_id, event_id, event_type, status, trace_id, dispatched_at, settled_at)
     select ${serial}, $2, $3, gen_random_uuid(), 't.v1', 'DELIVERED', 'trace-0001', $4, $4 from generate_series(1, 2500) as n`,
    [idAt(OLD_DAYS), tenantId, endpointId, daysAgo(OLD_DAYS)],
  ],
};

describe('a retention round with a limit', () => {
  let kernel: KernelApp;
  beforeAll(async () => {
    const { kernel: started, clock } = await startAt(daysAgo(OLD_DAYS), { role: 'api', providers: [Counter] });
    kernel = started;
    clock.time = new Date();
    await kernel.app.get(PartitionKeeper).round();
    await kernel.database.query(
      `insert into kernel_webhook_endpoint (endpoint_id, tenant_id, url, subscribed_types, signing_secret_alias, deleted_at)
       values ($1, $2, 'https://gone.example', '{t.v1}', 'none', now() - interval '2 days')`,
      [endpointId, tenantId],
    );
  });
  afterAll(() => kernel.close());

  const round = (maxBatches?: number) =>
    kernel.app.get(RetentionKeeper).round(undefined, { actor: 'operator:ada', maxBatches });
  const countOf = (done: RetentionRound, kind: string) =>
    kind === 'deliveries' ? done.deliveries.delivered : done[kind as 'lanes'];

  it('[ADR-12] drops so many partitions, oldest first, and says that there are more', async () => {
    const names = (await kernel.app.get(PartitionKeeper).list()).map(({ name }) => name);
    const { partitions, isComplete } = await round(1);
    expect(partitions).toMatchObject([{ name: names[0], outcome: 'dropped' }]);
    expect(isComplete).toBe(false);
    expect((await round()).partitions.map(({ name }) => name)).toEqual(names.slice(1, 4));
  });

  it.each([
    ['lanes', 'lanes-pruned', 'lanes', {}],
    ['idempotencyKeys', 'idempotency-keys-pruned', 'keys', {}],
    ['processedEvents', 'processed-events-pruned', 'events', { handler: 'counter' }],
    ['defaultEvents', 'events-pruned', 'events', {}],
    ['deliveries', 'deliveries-pruned', 'delivered', { deadLetters: 0, envelopes: 0 }],
  ])(
    '[ADR-12] removes so many batches of %s, says so batch by batch in the ledger (%s), and the rest at the next time',
    async (kind, ledgerKind, name, detail) => {
      await kernel.database.query(...INSERTS[kind]!);
      const first = await round(2);
      expect([countOf(first, kind), first.isComplete]).toEqual([2_000, false]);
      const second = await round();
      expect([countOf(second, kind), second.isComplete]).toEqual([500, true]);
      const entries = await kernel.database.query(
        'select actor, tenant_id, detail from kernel_ledger_entry where kind = $1 order by recorded_at',
        [ledgerKind],
      );
      const entry = (count: number) => ({
        actor: 'operator:ada',
        tenant_id: null,
        detail: { ...detail, [name]: count },
      });
      expect(entries).toEqual([1_000, 1_000, 500].map(entry));
    },
  );
});
