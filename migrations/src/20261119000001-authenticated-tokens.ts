import { Migration } from '@mikro-orm/migrations';

/**
 * The app's role inserts token rows, so SQL executed as the app could insert one too: the application seals each row
 * with a key outside the database, and refuses rows without a valid seal. Rows of earlier versions have none. A
 * revocation is final, and its time is the database's.
 */
export class Migration20261119000001AuthenticatedTokens extends Migration {
  override name = '20261119000001-authenticated-tokens';

  override up(): void {
    this.addSql(`alter table kernel_admin_token add column seal bytea null`);
    this.addSql(`update kernel_admin_token set expires_at = null where not isfinite(expires_at)`);
    this.addSql(`
      alter table kernel_admin_token
        add constraint kernel_admin_token_expires_check check (isfinite(expires_at))
    `);
    // Runs as its caller, whose search_path must not choose the functions.
    this.addSql(`
      create function kernel_revoke_token_once() returns trigger language plpgsql
      set search_path = pg_catalog, pg_temp as $$
      begin
        if old.revoked_at is not null then
          raise exception 'token % is revoked: its row is final', old.token_id using errcode = 'restrict_violation';
        end if;
        if new.revoked_at is not null then
          new.revoked_at := clock_timestamp();
        end if;
        return new;
      end $$
    `);
    this.addSql(`
      create trigger kernel_admin_token_revoke_once before update on kernel_admin_token
        for each row execute function kernel_revoke_token_once()
    `);
  }

  override down(): void {
    this.addSql(`drop trigger kernel_admin_token_revoke_once on kernel_admin_token`);
    this.addSql(`drop function kernel_revoke_token_once`);
    this.addSql(`alter table kernel_admin_token drop constraint kernel_admin_token_expires_check`);
    this.addSql(`alter table kernel_admin_token drop column seal`);
  }
}
