import { Migration } from '@mikro-orm/migrations';

/**
 * Bulk work on deliveries, requested by an operator and run in the background. Each batch moves the cursor in the
 * transaction of its work, so that after a crash the work continues from there and repeats nothing.
 */
export class Migration20261116000022Operations extends Migration {
  override name = '20261116000022-operations';

  override up(): void {
    this.addSql(`
      create table kernel_operation (
        operation_id uuid not null,
        kind text not null,
        tenant_id uuid null,
        endpoint_id uuid null,
        filter jsonb not null default '{}',
        reason text not null,
        actor text not null,
        trace_id text not null,
        state text not null default 'pending',
        total int not null,
        done int not null default 0,
        failed int not null default 0,
        cursor_at timestamptz null,
        cursor_id uuid null,
        next_batch_at timestamptz not null default clock_timestamp(),
        faults int not null default 0,
        last_error text null,
        created_at timestamptz not null default clock_timestamp(),
        started_at timestamptz null,
        finished_at timestamptz null,
        constraint kernel_operation_pkey primary key (operation_id),
        constraint kernel_operation_kind_check check (kind in ('replay', 'recover', 'replay-missing')),
        constraint kernel_operation_state_check
          check (state in ('pending', 'running', 'completed', 'cancelled', 'failed'))
      )
    `);
    this.addSql(`
      create index kernel_operation_open_idx on kernel_operation (next_batch_at) where state in ('pending', 'running')
    `);
    this.addSql(`create index kernel_operation_tenant_idx on kernel_operation (tenant_id, operation_id)`);
  }

  override down(): void {
    this.addSql(`drop table kernel_operation`);
  }
}
