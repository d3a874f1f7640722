import { Migration } from '@mikro-orm/migrations';

/** KER-4.2, KER-4.3 and the error columns of ADR-3. Finished deliveries leave the hot index, which claims read. */
export class Migration20261116000002Webhooks extends Migration {
  override name = '20261116000002-webhooks';

  override up(): void {
    this.addSql(`
      create table kernel_webhook_endpoint (
        endpoint_id uuid not null,
        tenant_id uuid not null,
        name text null,
        url text not null,
        subscribed_types text[] not null,
        signing_secret_alias text not null,
        is_enabled boolean not null default true,
        is_external boolean not null default true,
        created_at timestamptz not null default clock_timestamp(),
        updated_at timestamptz not null default clock_timestamp(),
        deleted_at timestamptz null,
        constraint kernel_webhook_endpoint_pkey primary key (endpoint_id),
        constraint kernel_webhook_endpoint_alias_check check (signing_secret_alias not like 'whsec\\_%')
      )
    `);
    this.addSql(`create index kernel_webhook_endpoint_tenant_idx on kernel_webhook_endpoint (tenant_id)`);

    this.addSql(`
      create table kernel_webhook_delivery (
        delivery_id uuid not null,
        tenant_id uuid not null,
        endpoint_id uuid not null,
        event_id uuid not null,
        event_type text not null,
        status text not null default 'PENDING',
        attempts int not null default 0,
        last_status_code int null,
        trace_id text not null,
        next_attempt_at timestamptz null,
        last_error_ref text null,
        error_class text null,
        last_error text null,
        last_error_at timestamptz null,
        dead_letter_reason text null,
        is_parked boolean not null default false,
        lease_until timestamptz null,
        lease_epoch int not null default 0,
        leased_by text null,
        dispatched_at timestamptz not null,
        settled_at timestamptz null,
        created_at timestamptz not null default clock_timestamp(),
        updated_at timestamptz not null default clock_timestamp(),
        constraint kernel_webhook_delivery_pkey primary key (delivery_id),
        constraint kernel_webhook_delivery_endpoint_event_key unique (endpoint_id, event_id),
        constraint kernel_webhook_delivery_status_check check (status in ('PENDING', 'DELIVERED', 'FAILED', 'DLQ'))
      )
    `);
    this.addSql(`
      create index kernel_webhook_delivery_due_idx on kernel_webhook_delivery (next_attempt_at)
        where status in ('PENDING', 'FAILED') and not is_parked
    `);
    this.addSql(`
      create index kernel_webhook_delivery_open_idx on kernel_webhook_delivery (endpoint_id)
        where status in ('PENDING', 'FAILED')
    `);
    this.addSql(`create index kernel_webhook_delivery_event_idx on kernel_webhook_delivery (event_id)`);
    this.addSql(`create index kernel_webhook_delivery_trace_idx on kernel_webhook_delivery (trace_id)`);
    this.addSql(`create index kernel_webhook_delivery_tenant_idx on kernel_webhook_delivery (tenant_id, status)`);
  }

  override down(): void {
    this.addSql(`drop table kernel_webhook_delivery`);
    this.addSql(`drop table kernel_webhook_endpoint`);
  }
}
