import { Migration } from '@mikro-orm/migrations';

export class Migration20261116500001Tenant extends Migration {
  override name = '20261116500001-tenant';

  override up(): void {
    this.addSql(`
      create table tenant (
        tenant_id uuid not null,
        name text not null,
        plan text not null,
        retention_days int not null,
        residency text not null,
        version int not null,
        created_at timestamptz not null,
        updated_at timestamptz not null,
        constraint tenant_pkey primary key (tenant_id),
        constraint tenant_plan_check check (plan in ('FREE', 'STANDARD', 'ENTERPRISE')),
        constraint tenant_residency_check check (residency in ('EU', 'US', 'APAC'))
      )
    `);
    this.addSql(`
      do $$ begin
        if exists (select from pg_roles where rolname = 'kernel_app') then
          grant select, insert, update on tenant to kernel_app;
        end if;
      end $$
    `);
  }

  override down(): void {
    this.addSql(`drop table tenant`);
  }
}
