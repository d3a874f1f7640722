import { Migration } from '@mikro-orm/migrations';

const OWN_ROWS = `tenant_id = nullif(current_setting('kernel.tenant_id', true), '')::uuid`;

/** Tables that tenant admins may read too. */
const READ_BY_ADMINS = ['kernel_activity', 'kernel_endpoint_circuit'];

/**
 * For the console: tokens that expire, and the numbers of published, delivered and failed, by time, tenant and
 * endpoint. The nil id stands for all of them. One row sums up several seconds, so that the number of rows depends on
 * time and endpoints and not on events; counts are not indexed, so that updates stay on their page.
 */
export class Migration20261116000034Console extends Migration {
  override name = '20261116000034-console';

  override up(): void {
    this.addSql(`alter table kernel_admin_token add column expires_at timestamptz null`);
    this.addSql(`
      create table kernel_activity (
        tenant_id uuid not null,
        endpoint_id uuid not null,
        step_seconds int not null,
        starts_at timestamptz not null,
        published bigint not null,
        delivered bigint not null,
        failed_attempts bigint not null,
        dead_lettered bigint not null,
        latency_counts int[] not null,
        constraint kernel_activity_pkey primary key (tenant_id, endpoint_id, step_seconds, starts_at)
      ) with (fillfactor = 50)
    `);
    // For the removal of old rows, which does not filter by tenant.
    this.addSql(`create index kernel_activity_age_idx on kernel_activity (step_seconds, starts_at)`);

    this.addSql(`alter function kernel_table_rights() rename to kernel_table_rights_without_console`);
    const rows = READ_BY_ADMINS.map(
      (table) => `('${table}', 'select, insert, update, delete', '${OWN_ROWS.replaceAll("'", "''")}')`,
    );
    this.addSql(`
      create function kernel_table_rights() returns table (table_name text, app_rights text, admin_reads text)
      language sql immutable as $$
        select * from kernel_table_rights_without_console()
        union all values ${rows.join(', ')}
      $$
    `);
    this.addSql(`select kernel_grant_rights()`);
  }

  override down(): void {
    this.addSql(`drop function kernel_table_rights`);
    this.addSql(`alter function kernel_table_rights_without_console() rename to kernel_table_rights`);
    this.addSql(`alter table kernel_endpoint_circuit disable row level security`);
    this.addSql(`drop policy if exists kernel_app_every_row on kernel_endpoint_circuit`);
    this.addSql(`drop policy if exists kernel_admin_read_own_rows on kernel_endpoint_circuit`);
    this.addSql(`drop table kernel_activity`);
    this.addSql(`alter table kernel_admin_token drop column expires_at`);
    this.addSql(`select kernel_grant_rights()`);
  }
}
