import { Migration } from '@mikro-orm/migrations';

/** K-V1. Ciphertext only; of the master key, only the fingerprint is stored. */
export class Migration20261116000005SecretVault extends Migration {
  override name = '20261116000005-secret-vault';

  override up(): void {
    this.addSql(`
      create table kernel_secret_version (
        tenant_id uuid not null,
        alias text not null,
        version int not null,
        state text not null default 'active',
        ciphertext bytea not null,
        created_at timestamptz not null default clock_timestamp(),
        constraint kernel_secret_version_pkey primary key (tenant_id, alias, version),
        constraint kernel_secret_version_state_check check (state in ('active', 'revoked'))
      )
    `);
    this.addSql(`
      create table kernel_master_key (
        fingerprint text not null,
        created_at timestamptz not null default clock_timestamp(),
        constraint kernel_master_key_pkey primary key (fingerprint)
      )
    `);
    this.addSql(`create unique index kernel_master_key_only_one_idx on kernel_master_key ((true))`);
  }

  override down(): void {
    this.addSql(`drop table kernel_master_key`);
    this.addSql(`drop table kernel_secret_version`);
  }
}
