import { Migration } from '@mikro-orm/migrations';

/**
 * How an endpoint is reached and retried, if different from the application's defaults; and the events that a handler
 * inside the application has processed, written in the transaction of the handler's work. A handler gets the events of
 * all tenants, whose streams may share a key, so a lane belongs to a tenant too.
 */
export class Migration20261116000012Dispatch extends Migration {
  override name = '20261116000012-dispatch';

  override up(): void {
    this.addSql(`
      alter table kernel_webhook_endpoint
        add column dispatcher text null,
        add column retry jsonb null,
        add column timeout_ms int null,
        add constraint kernel_webhook_endpoint_timeout_ms_check check (timeout_ms > 0)
    `);
    this.addSql(`
      alter table kernel_lane
        drop constraint kernel_lane_endpoint_stream_key,
        add constraint kernel_lane_endpoint_stream_key unique (endpoint_id, tenant_id, stream_key)
    `);
    this.addSql(`
      create table kernel_processed_event (
        handler text not null,
        event_id uuid not null,
        processed_at timestamptz not null default clock_timestamp(),
        constraint kernel_processed_event_pkey primary key (handler, event_id)
      )
    `);
  }

  override down(): void {
    this.addSql(`drop table kernel_processed_event`);
    this.addSql(`
      alter table kernel_lane
        drop constraint kernel_lane_endpoint_stream_key,
        add constraint kernel_lane_endpoint_stream_key unique (endpoint_id, stream_key)
    `);
    this.addSql(`
      alter table kernel_webhook_endpoint drop column dispatcher, drop column retry, drop column timeout_ms
    `);
  }
}
