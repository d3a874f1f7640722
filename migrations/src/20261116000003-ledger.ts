import { Migration } from '@mikro-orm/migrations';

/** KER-1: every fact once, append-only. The database itself rejects changes and deletes. */
export class Migration20261116000003Ledger extends Migration {
  override name = '20261116000003-ledger';

  override up(): void {
    this.addSql(`
      create table kernel_ledger_entry (
        entry_id uuid not null,
        recorded_at timestamptz not null default clock_timestamp(),
        kind text not null,
        tenant_id uuid null,
        event_id uuid null,
        event_type text null,
        delivery_id uuid null,
        endpoint_id uuid null,
        trace_id text not null,
        actor text not null,
        attempt int null,
        status_code int null,
        latency_ms int null,
        error_class text null,
        error text null,
        response_excerpt text null,
        policy_id uuid null,
        policy_version int null,
        removed_paths int null,
        body_sha256 text null,
        reason text null,
        detail jsonb null,
        aggregate_type text null,
        aggregate_id text null,
        attributes jsonb null,
        constraint kernel_ledger_entry_pkey primary key (entry_id)
      )
    `);
    this.addSql(`create index kernel_ledger_entry_event_idx on kernel_ledger_entry (event_id)`);
    this.addSql(`create index kernel_ledger_entry_delivery_idx on kernel_ledger_entry (delivery_id)`);
    this.addSql(`create index kernel_ledger_entry_trace_idx on kernel_ledger_entry (trace_id)`);

    this.addSql(`
      create function kernel_refuse_ledger_change() returns trigger language plpgsql as $$
      begin
        raise exception 'kernel_ledger_entry is append-only: % refused', tg_op using errcode = 'restrict_violation';
      end $$
    `);
    this.addSql(`
      create trigger kernel_ledger_entry_keep_row before update or delete on kernel_ledger_entry
        for each row execute function kernel_refuse_ledger_change()
    `);
    this.addSql(`
      create trigger kernel_ledger_entry_keep_table before truncate on kernel_ledger_entry
        for each statement execute function kernel_refuse_ledger_change()
    `);
  }

  override down(): void {
    this.addSql(`drop table kernel_ledger_entry`);
    this.addSql(`drop function kernel_refuse_ledger_change`);
  }
}
