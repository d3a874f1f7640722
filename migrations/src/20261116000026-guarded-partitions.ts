import { Migration } from '@mikro-orm/migrations';

const MAKE = 'text, uuid, uuid, int, boolean';
const DROP = 'text, timestamptz';

/**
 * KFM-10. The app may request that partitions are created and dropped, and passes the age limit. SQL run as the app
 * could pass any limit, so the owner sets its own, `kernel_least_event_age`, which the app can read but not replace.
 */
export class Migration20261116000026GuardedPartitions extends Migration {
  override name = '20261116000026-guarded-partitions';

  override up(): void {
    this.addSql(`
      create function kernel_least_event_age() returns interval language sql stable as $$ select interval '1 day' $$
    `);
    this.addSql(`
      create function kernel_time_of_id(id uuid) returns timestamptz language sql immutable as $$
        select to_timestamp(('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint / 1000.0)
      $$
    `);
    this.addSql(`alter function kernel_drop_outbox_partition(${DROP}) rename to kernel_drop_any_outbox_partition`);
    this.addSql(`alter function kernel_make_outbox_partition(${MAKE}) rename to kernel_make_any_outbox_partition`);
    this.guardDrop();
    this.guardMake();
    this.keepToOwner();
    this.addSql(`select kernel_grant_rights()`);
  }

  override down(): void {
    this.addSql(`drop function kernel_make_outbox_partition(${MAKE})`);
    this.addSql(`drop function kernel_drop_outbox_partition(${DROP})`);
    this.addSql(`alter function kernel_make_any_outbox_partition(${MAKE}) rename to kernel_make_outbox_partition`);
    this.addSql(`alter function kernel_drop_any_outbox_partition(${DROP}) rename to kernel_drop_outbox_partition`);
    this.addSql(`drop function kernel_time_of_id`);
    this.addSql(`drop function kernel_least_event_age`);
    this.addSql(`select kernel_grant_rights()`);
  }

  /**
   * Deliveries are checked before the lock is taken: their envelopes were retained just before, and deliveries this old
   * are no longer replayed. The inner function checks the events, under the lock.
   */
  private guardDrop(): void {
    this.addSql(`
      create function kernel_drop_outbox_partition(partition_name text, created_before timestamptz) returns text
      language plpgsql security definer as $$
      declare
        floor_time timestamptz := clock_timestamp() - kernel_least_event_age();
        bounds text;
        is_needed boolean;
      begin
        select pg_get_expr(relpartbound, pg_class.oid) into bounds
        from pg_inherits join pg_class on pg_class.oid = inhrelid
        where inhparent = 'kernel_outbox_event'::regclass and relname = partition_name
          and partition_name ~ '^kernel_outbox_event_p[0-9]{8}_[0-9]{2}$';
        if bounds is null then
          return 'absent';
        end if;
        if coalesce(kernel_time_of_id(substring(bounds from 'TO \\(''([0-9a-f-]{36})''\\)')::uuid), 'infinity') > floor_time then
          return 'needed';
        end if;
        execute format(
          'select exists (
             select from %I e join kernel_webhook_delivery d using (event_id)
             where d.status <> ''DELIVERED''
               and not exists (select from kernel_retained_event r where r.event_id = e.event_id)
           )',
          partition_name
        ) into is_needed;
        if is_needed then
          return 'needed';
        end if;
        return kernel_drop_any_outbox_partition(partition_name, least(created_before, floor_time));
      end $$
    `);
  }

  /** At most as wide as the options allow: a range over everything would absorb the default partition's rows. */
  private guardMake(): void {
    this.addSql(`
      create function kernel_make_outbox_partition(
        partition_name text, range_from uuid, range_to uuid, most_moved int, locks_readers boolean,
        out outcome text, out moved bigint
      ) language plpgsql security definer as $$
      begin
        if (kernel_time_of_id(range_to) <= kernel_time_of_id(range_from) + interval '365 days') is not true then
          raise exception 'an outbox partition covers 365 days at most' using errcode = 'invalid_parameter_value';
        end if;
        select made.outcome, made.moved into outcome, moved
        from kernel_make_any_outbox_partition(partition_name, range_from, range_to, most_moved, locks_readers) made;
      end $$
    `);
  }

  /** A renamed function keeps the rights granted on it. */
  private keepToOwner(): void {
    this.addSql(`
      do $$
      declare
        signature regprocedure;
      begin
        foreach signature in array array[
          'kernel_make_outbox_partition(${MAKE})'::regprocedure, 'kernel_make_any_outbox_partition(${MAKE})'::regprocedure,
          'kernel_make_bare_outbox_partition(${MAKE})'::regprocedure,
          'kernel_drop_outbox_partition(${DROP})'::regprocedure, 'kernel_drop_any_outbox_partition(${DROP})'::regprocedure
        ] loop
          execute format('alter function %s set search_path = %I, pg_temp', signature, current_schema());
          execute format('revoke execute on function %s from public', signature);
          if exists (select from pg_roles where rolname = 'kernel_app') then
            execute format('revoke execute on function %s from kernel_app', signature);
          end if;
        end loop;
      end $$
    `);
  }
}
