import { Migration } from '@mikro-orm/migrations';

/**
 * Grants on the app's tables for its role; none where the kernel could not create the role. Nothing is ever deleted.
 */
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
