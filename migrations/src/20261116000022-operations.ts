import { Migration } from '@mikro-orm/migrations';

/**
 * Work on many deliveries at once, ordered by an operator and done in the background. Each batch moves the cursor in the
 * transaction of its own work, so that whoever dies in between leaves a place to go on from and nothing to do twice.
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
    this.grantRights();
  }

  override down(): void {
    this.addSql(`drop table kernel_operation`);
  }

  /** As the other tables have them, where the database has the roles: the app never deletes, an admin reads his tenant's own. */
  private grantRights(): void {
    this.addSql(`
      do $$
      begin
        if (select count(*) = 2 from pg_roles where rolname in ('kernel_app', 'kernel_admin_read')) then
          grant select, insert, update on kernel_operation to kernel_app;
          grant select on kernel_operation to kernel_admin_read;
          alter table kernel_operation enable row level security;
          create policy kernel_app_every_row on kernel_operation to kernel_app using (true) with check (true);
          create policy kernel_admin_read_own_rows on kernel_operation for select to kernel_admin_read
            using (tenant_id = nullif(current_setting('kernel.tenant_id', true), '')::uuid);
        end if;
      end $$
    `);
  }
}
