import { Migration } from '@mikro-orm/migrations';

const OWN_ROWS = `tenant_id = nullif(current_setting('kernel.tenant_id', true), '')::uuid`;

/** Rights of the app on tables where it does not have all rights; and the rows that a tenant admin may read. */
const RIGHTS: [table: string, app: string, adminReads?: string][] = [
  ['kernel_outbox_event', 'select, insert, update (status, published_at)', OWN_ROWS],
  ['kernel_ledger_entry', 'select, insert', OWN_ROWS],
  ['kernel_ledger_seal', 'select, insert'],
  ['kernel_ledger_head', 'select, insert, update'],
  ['kernel_retained_event', 'select, insert, delete'],
  ['kernel_webhook_endpoint', 'select, insert, update', OWN_ROWS],
  ['kernel_webhook_delivery', 'select, insert, update, delete', OWN_ROWS],
  ['kernel_lane', 'select, insert, update, delete', OWN_ROWS],
  ['kernel_operation', 'select, insert, update', OWN_ROWS],
  ['kernel_privacy_policy', 'select, insert', `tenant_id is null or ${OWN_ROWS}`],
  ['kernel_admin_token', 'select, insert, update (revoked_at)'],
  ['kernel_secret_version', 'select, insert, update'],
  ['kernel_master_key', 'select, insert, update'],
];

/**
 * KFM-10, KER-T. The app runs as `kernel_app`, which owns nothing and can change neither an envelope nor a ledger
 * entry. Tenant admins read as `kernel_admin_read`, which sees the rows of the tenant in `kernel.tenant_id`, and none
 * without one. Roles belong to the whole cluster: they are created if missing, shared by its databases, and never
 * dropped here.
 */
export class Migration20261116000023DatabaseRoles extends Migration {
  override name = '20261116000023-database-roles';

  override up(): void {
    this.rightsOfTables();
    this.makeRoles();
    this.grantRights();
    this.addSql(`select kernel_grant_rights()`);
    this.addSql(this.ifRolesExist(`grant select on ${this.migrationsTable()} to kernel_app;`));
  }

  override down(): void {
    for (const [table, , adminReads] of RIGHTS) {
      if (adminReads) {
        this.addSql(`alter table ${table} disable row level security`);
        this.addSql(`drop policy if exists kernel_app_every_row on ${table}`);
        this.addSql(`drop policy if exists kernel_admin_read_own_rows on ${table}`);
      }
    }
    this.addSql(
      this.ifRolesExist(`
        revoke select on ${this.migrationsTable()} from kernel_app;
        revoke execute on function kernel_make_outbox_partition, kernel_drop_outbox_partition from kernel_app;
        for object in
          select quote_ident(relname) from pg_class
          where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p', 'v') and starts_with(relname, 'kernel_')
        loop
          execute format('revoke all on %s from kernel_app, kernel_admin_read', object);
        end loop;
        execute format('revoke usage on schema %I from kernel_app, kernel_admin_read', current_schema());
      `),
    );
    this.addSql(`drop function kernel_grant_rights`);
    this.addSql(`drop function kernel_make_roles`);
    this.addSql(`drop function kernel_table_rights`);
  }

  /** A separate list, so that a later migration can replace it alone. */
  private rightsOfTables(): void {
    const rows = RIGHTS.map((right) => `(${[0, 1, 2].map((column) => quote(right[column])).join(', ')})`);
    this.addSql(`
      create function kernel_table_rights() returns table (table_name text, app_rights text, admin_reads text)
      language sql immutable as $$
        values ${rows.join(',\n          ')}
      $$
    `);
  }

  /**
   * Other databases of the cluster may do the same concurrently. `noinherit`, because a policy for the admins' role
   * does not apply to the app. The creator of the roles may assume them, so that an owner without superuser rights can
   * start the app too.
   */
  private makeRoles(): void {
    this.addSql(`
      create function kernel_make_roles() returns boolean language plpgsql as $$
      declare
        role_name text;
      begin
        foreach role_name in array array['kernel_app', 'kernel_admin_read'] loop
          if not exists (select from pg_roles where rolname = role_name) then
            begin
              execute format('create role %I nologin noinherit', role_name);
            exception when duplicate_object or unique_violation then null;
            end;
          end if;
        end loop;
        if not pg_has_role('kernel_app', 'kernel_admin_read', 'member') then
          begin
            grant kernel_admin_read to kernel_app;
          exception when unique_violation then null;
          end;
        end if;
        begin
          if not (select rolsuper from pg_roles where rolname = current_user) then
            execute format('grant kernel_app to %I', current_user);
          end if;
        exception when insufficient_privilege or unique_violation then null;
        end;
        return true;
      exception when insufficient_privilege then
        raise warning 'the roles kernel_app and kernel_admin_read are missing and % may not make them: the app runs with the '
          'rights of its user, and admins of single tenants are refused', current_user
          using hint = 'docs/security.md, "Database roles", says what to run.';
        return false;
      end $$
    `);
  }

  /**
   * Idempotent; false if there are no roles to grant to. A table that is not listed may be read and written, but not
   * truncated. Writes to the outbox go through the parent; partitions may be read, because PostgreSQL names a duplicate
   * id only to roles that could have read it there.
   */
  private grantRights(): void {
    this.addSql(`
      create function kernel_grant_rights() returns boolean language plpgsql as $$
      declare
        object record;
      begin
        if not kernel_make_roles() then
          return false;
        end if;
        execute format('grant usage on schema %I to kernel_app, kernel_admin_read', current_schema());
        for object in
          select quote_ident(relname) as name, admin_reads, case
            when relkind = 'v' or relispartition then 'select'
            else coalesce(app_rights, 'select, insert, update, delete')
          end as app_rights
          from pg_class left join kernel_table_rights() on table_name = relname
          where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p', 'v')
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
        grant execute on function kernel_make_outbox_partition, kernel_drop_outbox_partition to kernel_app;
        return true;
      end $$
    `);
  }

  /** MikroORM's table of applied migrations, which the app's health check reads. */
  private migrationsTable(): string {
    const { tableName = 'mikro_orm_migrations', schema } = this.config.get('migrations');
    return [schema, ...tableName.split('.')]
      .filter((part) => part !== undefined)
      .map((part) => `"${part.replaceAll('"', '""')}"`)
      .join('.');
  }

  private ifRolesExist(statements: string): string {
    return `
      do $$
      declare
        object text;
      begin
        if (select count(*) = 2 from pg_roles where rolname in ('kernel_app', 'kernel_admin_read')) then
          ${statements}
        end if;
      end $$
    `;
  }
}

function quote(text: string | undefined): string {
  return text === undefined ? 'null' : `'${text.replaceAll("'", "''")}'`;
}
