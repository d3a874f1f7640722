import { Migration } from '@mikro-orm/migrations';

/**
 * KFM-5. A separate table: a unique key of the partitioned outbox would have to contain the event's id. Each row holds
 * the data to recognise and answer a repeat, even after the partition of its first event is dropped.
 */
export class Migration20261116000018IdempotencyKeys extends Migration {
  override name = '20261116000018-idempotency-keys';

  override up(): void {
    this.addSql(`
      create table kernel_idempotency_key (
        tenant_id uuid not null,
        key text not null,
        event_id uuid not null,
        stream_key text not null,
        type text not null,
        occurred_at timestamptz not null,
        trace_id text not null,
        actor_id uuid null,
        payload_hash text not null,
        attributes_hash text not null,
        created_at timestamptz not null default clock_timestamp(),
        constraint kernel_idempotency_key_pkey primary key (tenant_id, key)
      )
    `);
    this.addSql(`create index kernel_idempotency_key_event_idx on kernel_idempotency_key (event_id)`);
    this.addSql(`create index kernel_idempotency_key_created_idx on kernel_idempotency_key (created_at)`);
    // KFM-9: marks attempts that come from a replay.
    this.addSql(`alter table kernel_webhook_delivery add replay_count int not null default 0`);
    // AC2. Partial, so that events without an aggregate cost nothing.
    this.addSql(`
      create index kernel_outbox_event_aggregate_idx on kernel_outbox_event (tenant_id, aggregate_id, created_at)
        where aggregate_id is not null
    `);
  }

  override down(): void {
    this.addSql(`drop index kernel_outbox_event_aggregate_idx`);
    this.addSql(`alter table kernel_webhook_delivery drop column replay_count`);
    this.addSql(`drop table kernel_idempotency_key`);
  }
}
