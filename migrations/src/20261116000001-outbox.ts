import { Migration } from '@mikro-orm/migrations';

/**
 * KER-4.1, AC1, KFM-1. Range-partitioned by `event_id`: UUIDv7 is time-ordered, so retention can drop whole partitions
 * while the primary key stays `event_id` alone. The DEFAULT partition takes rows outside of all ranges (a version 4 id,
 * a wrong clock), so that publishing never fails for lack of a partition.
 */
export class Migration20261116000001Outbox extends Migration {
  override name = '20261116000001-outbox';

  override up(): void {
    this.addSql(`
      create table kernel_outbox_event (
        event_id uuid not null,
        tenant_id uuid not null,
        stream_key text not null,
        type text not null,
        occurred_at timestamptz not null,
        trace_id text not null,
        actor_id uuid null,
        payload_jsonb jsonb not null,
        payload_hash text not null,
        aggregate_type text null,
        aggregate_id text null,
        attributes jsonb not null default '{}',
        status text not null default 'PENDING',
        created_at timestamptz not null default clock_timestamp(),
        published_at timestamptz null,
        constraint kernel_outbox_event_pkey primary key (event_id),
        constraint kernel_outbox_event_status_check check (status in ('PENDING', 'PUBLISHED'))
      ) partition by range (event_id)
    `);
    this.addSql(`create table kernel_outbox_event_default partition of kernel_outbox_event default`);

    this.addSql(
      `create index kernel_outbox_event_stream_idx on kernel_outbox_event (tenant_id, stream_key, occurred_at)`,
    );
    this.addSql(`create index kernel_outbox_event_status_idx on kernel_outbox_event (status, created_at)`);
    this.addSql(
      `create index kernel_outbox_event_pending_idx on kernel_outbox_event (created_at) where status = 'PENDING'`,
    );
    this.addSql(`create index kernel_outbox_event_trace_idx on kernel_outbox_event (trace_id)`);

    this.addSql(`
      create function kernel_refuse_outbox_change() returns trigger language plpgsql as $$
      begin
        raise exception 'kernel_outbox_event is immutable: % refused', tg_op
          using errcode = 'restrict_violation', hint = 'Retention drops whole partitions; envelopes are never changed in place.';
      end $$
    `);
    this.addSql(`
      create trigger kernel_outbox_event_keep_envelope
        before update of event_id, tenant_id, stream_key, type, occurred_at, trace_id, actor_id, payload_jsonb,
          payload_hash, aggregate_type, aggregate_id, attributes, created_at
        on kernel_outbox_event for each row execute function kernel_refuse_outbox_change()
    `);
    this.addSql(`
      create trigger kernel_outbox_event_keep_row before delete on kernel_outbox_event
        for each row execute function kernel_refuse_outbox_change()
    `);
    this.addSql(`
      create trigger kernel_outbox_event_keep_table before truncate on kernel_outbox_event
        for each statement execute function kernel_refuse_outbox_change()
    `);
    this.addSql(`
      create trigger kernel_outbox_event_default_keep_table before truncate on kernel_outbox_event_default
        for each statement execute function kernel_refuse_outbox_change()
    `);
  }

  override down(): void {
    this.addSql(`drop table kernel_outbox_event`);
    this.addSql(`drop function kernel_refuse_outbox_change`);
  }
}
