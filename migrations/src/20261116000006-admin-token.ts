import { Migration } from '@mikro-orm/migrations';

/** Bearer tokens of the admin API, stored as the SHA-256 of their random text. */
export class Migration20261116000006AdminToken extends Migration {
  override name = '20261116000006-admin-token';

  override up(): void {
    this.addSql(`
      create table kernel_admin_token (
        token_id uuid not null,
        name text not null,
        role text not null,
        tenant_id uuid null,
        token_hash text not null,
        created_at timestamptz not null default clock_timestamp(),
        created_by text not null,
        revoked_at timestamptz null,
        constraint kernel_admin_token_pkey primary key (token_id),
        constraint kernel_admin_token_hash_key unique (token_hash),
        constraint kernel_admin_token_role_check check (role in ('operator', 'tenant-admin')),
        constraint kernel_admin_token_scope_check check ((role = 'tenant-admin') = (tenant_id is not null))
      )
    `);
  }

  override down(): void {
    this.addSql(`drop table kernel_admin_token`);
  }
}
