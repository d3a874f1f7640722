import { Migration } from '@mikro-orm/migrations';

/**
 * An attempt's ledger entry carries its conclusion (delivered, retry or dead-lettered) instead of a second entry. The
 * tenants' index of the ledger takes attempts that ended in the DLQ, which are few, so that a tenant finds its dead
 * letters.
 *
 * Workers of an earlier version run beside those of this one, but would hash entries without their conclusion. Their
 * seals lack the format and are refused, so that entries are sealed by workers of this version only.
 */
export class Migration20261118000006AttemptConclusions extends Migration {
  override name = '20261118000006-attempt-conclusions';

  override up(): void {
    this.addSql(`alter table kernel_ledger_entry add column conclusion text null`);
    this.addSql(`drop index kernel_ledger_entry_tenant_idx`);
    this.addSql(`
      create index kernel_ledger_entry_tenant_idx on kernel_ledger_entry (tenant_id, entry_id)
        where (kind <> 'published' and kind <> 'attempt' and kind <> 'delivered') or conclusion = 'dead-lettered'
    `);
    this.addSql(`alter table kernel_ledger_seal add column format int not null default 1`);
    this.addSql(`alter table kernel_ledger_seal alter column format drop default`);
  }

  override down(): void {
    this.addSql(`alter table kernel_ledger_seal drop column format`);
    this.addSql(`drop index kernel_ledger_entry_tenant_idx`);
    this.addSql(`alter table kernel_ledger_entry drop column conclusion`);
    this.addSql(`
      create index kernel_ledger_entry_tenant_idx on kernel_ledger_entry (tenant_id, entry_id)
        where kind <> 'published' and kind <> 'attempt' and kind <> 'delivered'
    `);
  }
}
