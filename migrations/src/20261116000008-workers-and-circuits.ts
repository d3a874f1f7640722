import { Migration } from '@mikro-orm/migrations';

/**
 * Workers send heartbeats, so that the leases of a silent worker can be freed within seconds. Its deliveries are
 * suspect and run alone, outside the hot indexes. The backlog of an endpoint with an open circuit is never read,
 * because the hot indexes lead with the endpoint.
 */
export class Migration20261116000008WorkersAndCircuits extends Migration {
  override name = '20261116000008-workers-and-circuits';

  override up(): void {
    this.addSql(`
      create table kernel_worker (
        worker_id text not null,
        started_at timestamptz not null default clock_timestamp(),
        heartbeat_at timestamptz not null default clock_timestamp(),
        constraint kernel_worker_pkey primary key (worker_id)
      )
    `);
    this.addSql(`
      create table kernel_endpoint_circuit (
        endpoint_id uuid not null,
        tenant_id uuid not null,
        opened_at timestamptz not null default clock_timestamp(),
        probe_at timestamptz not null,
        probes int not null default 0,
        constraint kernel_endpoint_circuit_pkey primary key (endpoint_id)
      )
    `);
    this.addSql(`
      alter table kernel_webhook_delivery
        add column is_suspect boolean not null default false,
        add column lonely_deaths int not null default 0
    `);
    this.addSql(`alter table kernel_lane add column is_suspect boolean not null default false`);

    this.addSql(`drop index kernel_webhook_delivery_due_idx`);
    this.addSql(`
      create index kernel_webhook_delivery_due_idx on kernel_webhook_delivery (tenant_id, endpoint_id, status, next_attempt_at)
        where status in ('PENDING', 'FAILED') and not is_parked and lane_id is null and not is_suspect
    `);
    this.addSql(`
      create index kernel_webhook_delivery_suspect_idx on kernel_webhook_delivery (next_attempt_at)
        where is_suspect and status in ('PENDING', 'FAILED') and not is_parked and lane_id is null
    `);
    this.addSql(`drop index kernel_lane_ready_idx`);
    this.addSql(`
      create index kernel_lane_ready_idx on kernel_lane (tenant_id, endpoint_id, ready_at)
        where ready_at is not null and blocked_by is null and not is_parked and not is_suspect
    `);
    this.addSql(`create index kernel_lane_suspect_idx on kernel_lane (ready_at) where is_suspect`);
  }

  override down(): void {
    this.addSql(`drop index kernel_lane_suspect_idx`);
    this.addSql(`drop index kernel_lane_ready_idx`);
    this.addSql(`drop index kernel_webhook_delivery_suspect_idx`);
    this.addSql(`drop index kernel_webhook_delivery_due_idx`);
    this.addSql(`alter table kernel_lane drop column is_suspect`);
    this.addSql(`alter table kernel_webhook_delivery drop column is_suspect, drop column lonely_deaths`);
    this.addSql(`drop table kernel_endpoint_circuit`);
    this.addSql(`drop table kernel_worker`);
    this.addSql(`
      create index kernel_webhook_delivery_due_idx on kernel_webhook_delivery (tenant_id, endpoint_id, status, next_attempt_at)
        where status in ('PENDING', 'FAILED') and not is_parked and lane_id is null
    `);
    this.addSql(`
      create index kernel_lane_ready_idx on kernel_lane (tenant_id, ready_at)
        where ready_at is not null and blocked_by is null and not is_parked
    `);
  }
}
