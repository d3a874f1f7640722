import { Migration } from '@mikro-orm/migrations';
import { defineEntity, p } from '@mikro-orm/postgresql';

/** A table of the host beside the kernel's. */
export const InvoiceEntity = defineEntity({
  name: 'HostInvoice',
  tableName: 'host_invoice',
  properties: { id: p.integer().primary().autoincrement(false), note: p.text() },
});

export class InvoiceMigration extends Migration {
  override name = 'host-invoice';

  override up(): void {
    this.addSql('create table host_invoice (id int primary key, note text not null)');
  }
}
