import { Migration } from '@mikro-orm/migrations';

const ARGUMENTS = 'text, uuid, uuid, int, boolean';

/** The app may read a new partition from the start, like the others. */
export class Migration20261116000024ReadablePartitions extends Migration {
  override name = '20261116000024-readable-partitions';

  override up(): void {
    this.addSql(
      `alter function kernel_make_outbox_partition(${ARGUMENTS}) rename to kernel_make_bare_outbox_partition`,
    );
    this.addSql(`
      create function kernel_make_outbox_partition(
        partition_name text, range_from uuid, range_to uuid, most_moved int, locks_readers boolean,
        out outcome text, out moved bigint
      ) language plpgsql security definer as $$
      begin
        select made.outcome, made.moved into outcome, moved
        from kernel_make_bare_outbox_partition(partition_name, range_from, range_to, most_moved, locks_readers) made;
        if outcome = 'made' and exists (select from pg_roles where rolname = 'kernel_app') then
          execute format('grant select on %I to kernel_app', partition_name);
        end if;
      end $$
    `);
    this.addSql(`
      do $$
      begin
        execute format(
          'alter function kernel_make_outbox_partition(${ARGUMENTS}) set search_path = %I, pg_temp', current_schema()
        );
      end $$
    `);
    this.addSql(`revoke execute on function kernel_make_outbox_partition(${ARGUMENTS}) from public`);
    this.addSql(`select kernel_grant_rights()`);
  }

  override down(): void {
    this.addSql(`drop function kernel_make_outbox_partition(${ARGUMENTS})`);
    this.addSql(
      `alter function kernel_make_bare_outbox_partition(${ARGUMENTS}) rename to kernel_make_outbox_partition`,
    );
  }
}
