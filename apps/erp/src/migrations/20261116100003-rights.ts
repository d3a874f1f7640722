import { Migration } from '@mikro-orm/migrations';

/** The app's own tables, for the role that it works as; none where the kernel could not make one. Nothing is ever deleted. */
export class Migration20261116100003Rights extends Migration {
  override name = '20261116100003-erp-rights';

  override up(): void {
    this.addSql(ifRoleExists('grant select, insert, update on erp_invoice, erp_posting, erp_balance to kernel_app'));
  }

  override down(): void {
    this.addSql(ifRoleExists('revoke all on erp_invoice, erp_posting, erp_balance from kernel_app'));
  }
}

function ifRoleExists(statement: string): string {
  return `do $$ begin if exists (select from pg_roles where rolname = 'kernel_app') then ${statement}; end if; end $$`;
}
