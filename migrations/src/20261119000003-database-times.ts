import { Migration } from '@mikro-orm/migrations';

/** Tables with columns that only the database sets, and the rights of the app besides `insert` on the other columns. */
const RIGHTS: [table: string, rights: string, setByDatabase: string[]][] = [
  ['kernel_ledger_entry', 'select', ['recorded_at']],
  ['kernel_ledger_seal', 'select', ['sealed_at']],
  ['kernel_ledger_verification', 'select, update', []],
  ['kernel_admin_token', 'select, update (revoked_at)', ['created_at', 'revoked_at']],
  ['kernel_privacy_policy', 'select', ['created_at']],
  [
    'kernel_secret_version',
    'select, update (state, ciphertext, live_until, key_fingerprint)',
    ['created_at', 'live_until'],
  ],
];

/** For triggers, which run as the caller: its search_path must not choose their functions and operators. */
const SAFE_PATH = 'set search_path = pg_catalog, pg_temp';

/**
 * SQL executed as the app can neither set times that are the database's, nor put off the end of a secret, nor restore
 * an earlier state of the verification. Inserts in the hot path have no trigger: rights on columns cost nothing there.
 */
export class Migration20261119000003DatabaseTimes extends Migration {
  override name = '20261119000003-database-times';

  override async up(): Promise<void> {
    this.countVerifications();
    this.endSecretsOnce();
    this.keepLastingKey();
    await this.rightsOfColumns();
    this.addSql(`select kernel_grant_rights()`);
  }

  override down(): void {
    this.addSql(`drop function kernel_table_rights()`);
    this.addSql(`alter function kernel_table_rights_without_columns() rename to kernel_table_rights`);
    this.addSql(`select kernel_grant_rights()`);
    this.addSql(`drop trigger kernel_master_key_keep_lasting on kernel_master_key`);
    this.addSql(`drop function kernel_keep_lasting_key`);
    this.addSql(`drop trigger kernel_secret_version_end_once on kernel_secret_version`);
    this.addSql(`drop function kernel_end_secret_once`);
    this.addSql(`drop trigger kernel_ledger_verification_count on kernel_ledger_verification`);
    this.addSql(`drop function kernel_count_verification`);
    this.addSql(`alter table kernel_ledger_verification drop column round`);
  }

  /** The round is signed with the rest of the row, so an earlier row is not valid in a later round. */
  private countVerifications(): void {
    this.addSql(`alter table kernel_ledger_verification add column round bigint not null default 0`);
    this.addSql(`alter table kernel_ledger_verification alter column round drop default`);
    this.addSql(`
      create function kernel_count_verification() returns trigger language plpgsql ${SAFE_PATH} as $$
      begin
        new.round := case when tg_op = 'UPDATE' then old.round + 1 else 1 end;
        return new;
      end $$
    `);
    this.addSql(`
      create trigger kernel_ledger_verification_count before insert or update on kernel_ledger_verification
        for each row execute function kernel_count_verification()
    `);
  }

  private endSecretsOnce(): void {
    this.addSql(`
      create function kernel_end_secret_once() returns trigger language plpgsql ${SAFE_PATH} as $$
      declare
        fault text := case
          when (new.tenant_id, new.alias, new.version, new.kind, new.created_at)
            is distinct from (old.tenant_id, old.alias, old.version, old.kind, old.created_at) then 'is another secret'
          when old.state = 'revoked' and new.state <> 'revoked' then 'is revoked for good'
          when new.state = 'revoked' and new.ciphertext <> '' then 'is revoked and holds no ciphertext'
          when new.live_until > old.live_until or (new.live_until is null and old.live_until is not null)
            then 'has an end that cannot be put off'
        end;
      begin
        if fault is not null then
          raise exception 'version % of the secret % %', old.version, old.alias, fault using errcode = 'restrict_violation';
        end if;
        return new;
      end $$
    `);
    this.addSql(`
      create trigger kernel_secret_version_end_once before update on kernel_secret_version
        for each row execute function kernel_end_secret_once()
    `);
  }

  /** Without it, keys would be derived from another key after a rotation. */
  private keepLastingKey(): void {
    this.addSql(`
      create function kernel_keep_lasting_key() returns trigger language plpgsql ${SAFE_PATH} as $$
      begin
        if old.lasting_key is not null and new.lasting_key is null then
          raise exception 'the lasting key is stored for good' using errcode = 'restrict_violation';
        end if;
        return new;
      end $$
    `);
    this.addSql(`
      create trigger kernel_master_key_keep_lasting before update on kernel_master_key
        for each row execute function kernel_keep_lasting_key()
    `);
  }

  /** Columns are looked up: after adding one to these tables, a migration calls `kernel_grant_rights()`. */
  private async rightsOfColumns(): Promise<void> {
    const [{ schema, literal }] = (await this.execute(
      'select quote_ident(current_schema()) as schema, quote_literal(current_schema()) as literal',
    )) as [{ schema: string; literal: string }];
    const rows = RIGHTS.map(([table, rights, own]) => `('${table}', '${rights}', '{${own.join(',')}}'::text[])`);
    this.addSql(`alter function kernel_table_rights() rename to kernel_table_rights_without_columns`);
    this.addSql(`
      create function kernel_table_rights() returns table (table_name text, app_rights text, admin_reads text)
      language sql stable ${SAFE_PATH} as $$
        select table_name, coalesce(rights || ', insert (' || (
          select string_agg(quote_ident(attname), ', ' order by attnum) from pg_attribute
          where attrelid = format('%I.%I', ${literal}, table_name)::regclass and attnum > 0 and not attisdropped
            and attname <> all (set_by_database)
        ) || ')', t.app_rights), t.admin_reads
        from ${schema}.kernel_table_rights_without_columns() t
          full join (values ${rows.join(',\n            ')}) as c (table_name, rights, set_by_database)
          using (table_name)
      $$
    `);
  }
}
