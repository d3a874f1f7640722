import { Migration } from '@mikro-orm/migrations';

export class Migration20261116100002Balances extends Migration {
  override name = '20261116100002-erp-balances';

  override up(): void {
    this.addSql(`
      create table erp_balance (
        tenant_id uuid not null,
        balance_cents bigint not null,
        postings int not null,
        constraint erp_balance_pkey primary key (tenant_id)
      )
    `);
  }

  override down(): void {
    this.addSql(`drop table erp_balance`);
  }
}
