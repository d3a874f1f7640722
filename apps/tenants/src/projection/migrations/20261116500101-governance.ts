import { Migration } from '@mikro-orm/migrations';

/** In a separate schema: the tables belong to another service, even when both share a database. */
export class Migration20261116500101Governance extends Migration {
  override name = '20261116500101-governance';

  override up(): void {
    this.addSql(`create schema if not exists projection`);
    this.addSql(`
      create table projection.governance (
        tenant_id uuid not null,
        name text not null,
        plan text not null,
        retention_days int not null,
        residency text not null,
        version int not null,
        changes int not null,
        changed_at timestamptz not null,
        constraint governance_pkey primary key (tenant_id)
      )
    `);
  }

  override down(): void {
    this.addSql(`drop table projection.governance`);
  }
}
