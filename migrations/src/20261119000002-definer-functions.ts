import { Migration } from '@mikro-orm/migrations';

/** Functions and operators are then PostgreSQL's own; everything of the kernel is named with its schema. */
const SAFE_PATH = 'set search_path = pg_catalog, pg_temp';

const HOT_TABLE = `
  autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0,
  autovacuum_analyze_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.1
`;
const PARTITION_NAME = '^kernel_outbox_event_p[0-9]{8}_[0-9]{2}$';
const MAKE = `
  partition_name text, range_from uuid, range_to uuid, most_moved int, locks_readers boolean,
  out outcome text, out moved bigint
`;
const PASS_ON = 'partition_name, range_from, range_to, most_moved, locks_readers';

/**
 * The functions that run as the owner had the kernel's schema in their `search_path`. A role that may create there (by
 * default everybody, before PostgreSQL 15) could define a function or operator that fits a call better than
 * PostgreSQL's own, and have it run as the owner. The same holds for those that the owner calls to grant rights.
 *
 * Going down keeps the functions: they do the same for earlier versions.
 */
export class Migration20261119000002DefinerFunctions extends Migration {
  override name = '20261119000002-definer-functions';

  override async up(): Promise<void> {
    const [names] = (await this.execute(
      'select quote_ident(current_schema()) as schema, quote_literal(current_schema()) as literal',
    )) as [{ schema: string; literal: string }];
    this.makePartition(names);
    this.dropPartition(names);
    this.pruneDefaultPartition(names.schema);
    this.grantRights(names);
    this.keepOthersOut(names.schema);
  }

  override down(): void {
    // Nothing: see above.
  }

  private makePartition({ schema, literal }: { schema: string; literal: string }): void {
    this.addSql(`
      create or replace function kernel_make_bare_outbox_partition(${MAKE}) language plpgsql security definer
      ${SAFE_PATH} set lock_timeout = '200ms' as $$
      declare
        partition text := format('%I.%I', ${literal}, partition_name);
      begin
        moved := 0;
        if partition_name !~ '${PARTITION_NAME}' then
          raise exception '% is no name of an outbox partition', partition_name using errcode = 'invalid_parameter_value';
        end if;
        if not pg_try_advisory_xact_lock(310120) then
          outcome := 'busy';
          return;
        end if;
        if to_regclass(partition) is not null then
          outcome := 'exists';
          return;
        end if;
        if (
          select count(*) > most_moved from (
            select from ${schema}.kernel_outbox_event_default
            where event_id >= range_from and event_id < range_to limit most_moved + 1
          ) row_to_move
        ) then
          outcome := 'crowded';
          return;
        end if;

        execute format(
          'create table %s (like %I.kernel_outbox_event including all) with (${HOT_TABLE})', partition, ${literal}
        );
        execute format(
          'create trigger kernel_outbox_event_keep_table before truncate on %s
             for each statement execute function %I.kernel_refuse_outbox_change()',
          partition, ${literal}
        );
        if locks_readers then
          lock table only ${schema}.kernel_outbox_event in access exclusive mode;
        else
          lock table only ${schema}.kernel_outbox_event in exclusive mode;
        end if;
        if exists (
          select from ${schema}.kernel_outbox_event_default where event_id >= range_from and event_id < range_to
        ) then
          alter table ${schema}.kernel_outbox_event_default disable trigger kernel_outbox_event_keep_row;
          execute format(
            'with moved_row as (
               delete from %I.kernel_outbox_event_default where event_id >= $1 and event_id < $2 returning *
             )
             insert into %s select * from moved_row',
            ${literal}, partition
          ) using range_from, range_to;
          get diagnostics moved = row_count;
          alter table ${schema}.kernel_outbox_event_default enable trigger kernel_outbox_event_keep_row;
        end if;
        execute format(
          'alter table %I.kernel_outbox_event attach partition %s for values from (%L) to (%L)',
          ${literal}, partition, range_from, range_to
        );
        outcome := 'made';
      end $$
    `);
    this.addSql(`
      create or replace function kernel_make_any_outbox_partition(${MAKE}) language plpgsql security definer
      ${SAFE_PATH} as $$
      begin
        select made.outcome, made.moved into outcome, moved
        from ${schema}.kernel_make_bare_outbox_partition(${PASS_ON}) made;
        if outcome = 'made' and exists (select from pg_roles where rolname = 'kernel_app') then
          execute format('grant select on %I.%I to kernel_app', ${literal}, partition_name);
        end if;
      end $$
    `);
    this.addSql(`
      create or replace function kernel_make_outbox_partition(${MAKE}) language plpgsql security definer
      ${SAFE_PATH} as $$
      begin
        if (
          ${schema}.kernel_time_of_id(range_to) <= ${schema}.kernel_time_of_id(range_from) + interval '365 days'
        ) is not true then
          raise exception 'an outbox partition covers 365 days at most' using errcode = 'invalid_parameter_value';
        end if;
        select made.outcome, made.moved into outcome, moved
        from ${schema}.kernel_make_any_outbox_partition(${PASS_ON}) made;
      end $$
    `);
  }

  private dropPartition({ schema, literal }: { schema: string; literal: string }): void {
    const parent = `format('%I.kernel_outbox_event', ${literal})::regclass`;
    this.addSql(`
      create or replace function kernel_drop_any_outbox_partition(partition_name text, created_before timestamptz)
      returns text language plpgsql security definer ${SAFE_PATH} set lock_timeout = '200ms' as $$
      declare
        partition regclass;
        is_needed boolean;
      begin
        if not pg_try_advisory_xact_lock(310120) then
          return 'busy';
        end if;
        select inhrelid::regclass into partition from pg_inherits join pg_class on pg_class.oid = inhrelid
        where inhparent = ${parent} and relname = partition_name and partition_name ~ '${PARTITION_NAME}';
        if partition is null then
          return 'absent';
        end if;

        lock table only ${schema}.kernel_outbox_event in access exclusive mode;
        execute format(
          'select exists (select from %1$s where status = ''PENDING'')
             or exists (select from %1$s where status = ''PUBLISHED'' and created_at >= $1)',
          partition
        ) into is_needed using created_before;
        if is_needed then
          return 'needed';
        end if;
        execute format('drop table %s', partition);
        return 'dropped';
      end $$
    `);
    this.addSql(`
      create or replace function kernel_drop_outbox_partition(partition_name text, created_before timestamptz)
      returns text language plpgsql security definer ${SAFE_PATH} as $$
      declare
        floor_time timestamptz := clock_timestamp() - ${schema}.kernel_least_event_age();
        partition regclass;
        bounds text;
        is_needed boolean;
      begin
        select inhrelid::regclass, pg_get_expr(relpartbound, pg_class.oid) into partition, bounds
        from pg_inherits join pg_class on pg_class.oid = inhrelid
        where inhparent = ${parent} and relname = partition_name and partition_name ~ '${PARTITION_NAME}';
        if bounds is null then
          return 'absent';
        end if;
        if coalesce(
          ${schema}.kernel_time_of_id(substring(bounds from 'TO \\(''([0-9a-f-]{36})''\\)')::uuid), 'infinity'
        ) > floor_time then
          return 'needed';
        end if;
        execute format(
          'select exists (
             select from %1$s e join %2$I.kernel_webhook_delivery d using (event_id)
             where d.status <> ''DELIVERED''
               and not exists (select from %2$I.kernel_retained_event r where r.event_id = e.event_id)
           )',
          partition, ${literal}
        ) into is_needed;
        if is_needed then
          return 'needed';
        end if;
        return ${schema}.kernel_drop_any_outbox_partition(partition_name, least(created_before, floor_time));
      end $$
    `);
  }

  /** The trigger runs as the owner too, when the function below deletes. */
  private pruneDefaultPartition(schema: string): void {
    this.addSql(`
      create or replace function kernel_refuse_outbox_change() returns trigger language plpgsql ${SAFE_PATH} as $$
      begin
        if tg_op = 'DELETE' and tg_table_name = 'kernel_outbox_event_default'
          and current_setting('kernel.prunes_settled', true) = 'on'
        then
          if old.status = 'PUBLISHED' and old.created_at < clock_timestamp() - ${schema}.kernel_least_event_age() then
            return old;
          end if;
        end if;
        raise exception 'kernel_outbox_event is immutable: % refused', tg_op
          using errcode = 'restrict_violation', hint = 'Retention drops whole partitions; envelopes are never changed in place.';
      end $$
    `);
    this.addSql(`
      create or replace function kernel_prune_default_partition(
        created_before timestamptz, after_time timestamptz, after_id uuid, most int,
        out pruned int, out last_time timestamptz, out last_id uuid
      ) language plpgsql security definer ${SAFE_PATH} as $$
      declare
        old_before timestamptz := least(created_before, clock_timestamp() - ${schema}.kernel_least_event_age());
      begin
        perform set_config('kernel.prunes_settled', 'on', true);
        with walked as materialized (
          select event_id, created_at from ${schema}.kernel_outbox_event_default
          where status = 'PUBLISHED' and created_at < old_before and (created_at, event_id) > (after_time, after_id)
          order by created_at, event_id
          limit most
        ), deleted as (
          delete from ${schema}.kernel_outbox_event_default e using walked
          where e.event_id = walked.event_id and not exists (
            select from ${schema}.kernel_webhook_delivery d
            where d.event_id = walked.event_id and d.status <> 'DELIVERED'
          )
          returning e.event_id
        )
        select (select count(*) from deleted), last.created_at, last.event_id into pruned, last_time, last_id
        from (select) as always
        left join (select * from walked order by created_at desc, event_id desc limit 1) last on true;
        perform set_config('kernel.prunes_settled', '', true);
      end $$
    `);
  }

  /** The list of rights names one other function of the schema, without arguments, and uses no operator. */
  private grantRights({ schema, literal }: { schema: string; literal: string }): void {
    this.addSql(`alter function kernel_make_roles() ${SAFE_PATH}`);
    this.addSql(`alter function kernel_table_rights() set search_path = ${schema}, pg_temp`);
    this.addSql(`
      create or replace function kernel_grant_rights_on_tables() returns boolean language plpgsql ${SAFE_PATH} as $$
      declare
        object record;
      begin
        if not ${schema}.kernel_make_roles() then
          return false;
        end if;
        grant usage on schema ${schema} to kernel_app, kernel_admin_read;
        for object in
          select format('%I.%I', ${literal}, relname) as name, admin_reads, case
            when relkind = 'v' or relispartition then 'select'
            else coalesce(app_rights, 'select, insert, update, delete')
          end as app_rights
          from pg_class left join ${schema}.kernel_table_rights() on table_name = relname
          where relnamespace = quote_ident(${literal})::regnamespace and relkind in ('r', 'p', 'v')
            and starts_with(relname, 'kernel_')
        loop
          execute format('revoke all on %s from kernel_app, kernel_admin_read', object.name);
          execute format('grant %s on %s to kernel_app', object.app_rights, object.name);
          if object.admin_reads is not null then
            execute format('grant select on %s to kernel_admin_read', object.name);
            execute format('alter table %s enable row level security', object.name);
            execute format('drop policy if exists kernel_app_every_row on %s', object.name);
            execute format(
              'create policy kernel_app_every_row on %s to kernel_app using (true) with check (true)', object.name
            );
            execute format('drop policy if exists kernel_admin_read_own_rows on %s', object.name);
            execute format(
              'create policy kernel_admin_read_own_rows on %s for select to kernel_admin_read using (%s)',
              object.name, object.admin_reads
            );
          end if;
        end loop;
        grant execute on function ${schema}.kernel_make_outbox_partition, ${schema}.kernel_drop_outbox_partition
          to kernel_app;
        return true;
      end $$
    `);
    this.addSql(`
      create or replace function kernel_grant_rights() returns boolean language plpgsql ${SAFE_PATH} as $$
      begin
        if not ${schema}.kernel_grant_rights_on_tables() then
          return false;
        end if;
        grant execute on function ${schema}.kernel_prune_default_partition to kernel_app;
        return true;
      end $$
    `);
    this.addSql(`select kernel_grant_rights()`);
  }

  /** If the migrating user may not, the app warns at its start. */
  private keepOthersOut(schema: string): void {
    this.addSql(`
      do $$
      begin
        revoke create on schema ${schema} from public;
        if exists (select from pg_roles where rolname = 'kernel_app') then
          revoke create on schema ${schema} from kernel_app;
        end if;
      exception when insufficient_privilege then null;
      end $$
    `);
  }
}
