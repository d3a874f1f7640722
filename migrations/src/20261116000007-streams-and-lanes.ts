import { Migration } from '@mikro-orm/migrations';

/**
 * KER-2.3. A stream numbers its events in commit order, because its row is locked from the number to the commit. A lane
 * is one stream to one ordered endpoint: it is claimed as a whole and sent one event at a time.
 */
export class Migration20261116000007StreamsAndLanes extends Migration {
  override name = '20261116000007-streams-and-lanes';

  override up(): void {
    this.addSql(`
      create table kernel_stream (
        tenant_id uuid not null,
        stream_key text not null,
        last_sequence bigint not null,
        constraint kernel_stream_pkey primary key (tenant_id, stream_key)
      ) with (fillfactor = 70)
    `);

    this.addSql(`alter table kernel_outbox_event add column stream_sequence bigint null`);
    this.addSql(`drop index kernel_outbox_event_pending_idx`);
    this.addSql(
      `create index kernel_outbox_event_pending_idx on kernel_outbox_event (tenant_id, created_at) where status = 'PENDING'`,
    );
    this.addSql(`
      create index kernel_outbox_event_unrouted_idx on kernel_outbox_event (tenant_id, stream_key, stream_sequence)
        where status = 'PENDING'
    `);
    this.addSql(`drop trigger kernel_outbox_event_keep_envelope on kernel_outbox_event`);
    this.addSql(`
      create trigger kernel_outbox_event_keep_envelope
        before update of event_id, tenant_id, stream_key, stream_sequence, type, occurred_at, trace_id, actor_id,
          payload_jsonb, payload_hash, aggregate_type, aggregate_id, attributes, created_at
        on kernel_outbox_event for each row execute function kernel_refuse_outbox_change()
    `);

    this.addSql(`
      alter table kernel_webhook_endpoint
        add column ordering text not null default 'none',
        add column on_dead_letter text not null default 'block',
        add column max_in_flight int null,
        add constraint kernel_webhook_endpoint_ordering_check check (ordering in ('none', 'stream')),
        add constraint kernel_webhook_endpoint_on_dead_letter_check check (on_dead_letter in ('block', 'skip')),
        add constraint kernel_webhook_endpoint_max_in_flight_check check (max_in_flight > 0)
    `);

    this.addSql(`
      create table kernel_lane (
        lane_id uuid not null,
        tenant_id uuid not null,
        endpoint_id uuid not null,
        stream_key text not null,
        last_sequence bigint not null,
        previous_sequence bigint null,
        ready_at timestamptz null,
        wake_count int not null default 0,
        blocked_by uuid null,
        blocked_at timestamptz null,
        is_parked boolean not null default false,
        lease_until timestamptz null,
        lease_epoch int not null default 0,
        leased_by text null,
        created_at timestamptz not null default clock_timestamp(),
        constraint kernel_lane_pkey primary key (lane_id),
        constraint kernel_lane_endpoint_stream_key unique (endpoint_id, stream_key)
      ) with (fillfactor = 70)
    `);
    this.addSql(`
      create index kernel_lane_ready_idx on kernel_lane (tenant_id, ready_at)
        where ready_at is not null and blocked_by is null and not is_parked
    `);
    this.addSql(
      `create index kernel_lane_blocked_idx on kernel_lane (tenant_id, blocked_at) where blocked_by is not null`,
    );

    this.addSql(`
      alter table kernel_webhook_delivery
        add column stream_key text null,
        add column stream_sequence bigint null,
        add column previous_sequence bigint null,
        add column lane_id uuid null
    `);
    this.addSql(`drop index kernel_webhook_delivery_due_idx`);
    this.addSql(`
      create index kernel_webhook_delivery_due_idx on kernel_webhook_delivery (tenant_id, endpoint_id, status, next_attempt_at)
        where status in ('PENDING', 'FAILED') and not is_parked and lane_id is null
    `);
    this.addSql(`
      create index kernel_webhook_delivery_lane_idx on kernel_webhook_delivery (lane_id, stream_sequence)
        where status in ('PENDING', 'FAILED') and lane_id is not null
    `);
  }

  override down(): void {
    this.addSql(`drop index kernel_webhook_delivery_lane_idx`);
    this.addSql(`drop index kernel_webhook_delivery_due_idx`);
    this.addSql(`
      alter table kernel_webhook_delivery
        drop column stream_key, drop column stream_sequence, drop column previous_sequence, drop column lane_id
    `);
    this.addSql(`
      create index kernel_webhook_delivery_due_idx on kernel_webhook_delivery (next_attempt_at)
        where status in ('PENDING', 'FAILED') and not is_parked
    `);
    this.addSql(`drop table kernel_lane`);
    this.addSql(`
      alter table kernel_webhook_endpoint drop column ordering, drop column on_dead_letter, drop column max_in_flight
    `);
    this.addSql(`drop trigger kernel_outbox_event_keep_envelope on kernel_outbox_event`);
    this.addSql(`drop index kernel_outbox_event_unrouted_idx`);
    this.addSql(`drop index kernel_outbox_event_pending_idx`);
    this.addSql(`alter table kernel_outbox_event drop column stream_sequence`);
    this.addSql(
      `create index kernel_outbox_event_pending_idx on kernel_outbox_event (created_at) where status = 'PENDING'`,
    );
    this.addSql(`
      create trigger kernel_outbox_event_keep_envelope
        before update of event_id, tenant_id, stream_key, type, occurred_at, trace_id, actor_id, payload_jsonb,
          payload_hash, aggregate_type, aggregate_id, attributes, created_at
        on kernel_outbox_event for each row execute function kernel_refuse_outbox_change()
    `);
    this.addSql(`drop table kernel_stream`);
  }
}
