import { Migration } from '@mikro-orm/migrations';

/**
 * Every index of a hot table is written twice per event, for the insert and for the update. Lookups by trace or
 * delivery use the event's ledger entry instead; lists get indexes in the order in which they are read.
 */
export class Migration20261116000010LeanIndexes extends Migration {
  override name = '20261116000010-lean-indexes';

  override up(): void {
    this.addSql(`drop index kernel_outbox_event_trace_idx`);

    this.addSql(`drop index kernel_webhook_delivery_trace_idx`);
    this.addSql(`drop index kernel_webhook_delivery_tenant_idx`);
    this.addSql(`create index kernel_webhook_delivery_tenant_idx on kernel_webhook_delivery (tenant_id, delivery_id)`);
    this.addSql(`
      create index kernel_webhook_delivery_dead_idx on kernel_webhook_delivery (tenant_id, delivery_id)
        where status = 'DLQ'
    `);
    // Finished deliveries have no lease, so a lease alone fences an outcome, without a check of the status.
    this.addSql(`
      alter table kernel_webhook_delivery add constraint kernel_webhook_delivery_lease_check
        check (leased_by is null or status in ('PENDING', 'FAILED'))
    `);

    this.addSql(`drop index kernel_ledger_entry_delivery_idx`);
    this.addSql(`drop index kernel_ledger_entry_trace_idx`);
    this.addSql(`
      create index kernel_ledger_entry_trace_idx on kernel_ledger_entry (trace_id)
        where kind <> 'attempt' and kind <> 'delivered'
    `);
  }

  override down(): void {
    this.addSql(`drop index kernel_ledger_entry_trace_idx`);
    this.addSql(`create index kernel_ledger_entry_trace_idx on kernel_ledger_entry (trace_id)`);
    this.addSql(`create index kernel_ledger_entry_delivery_idx on kernel_ledger_entry (delivery_id)`);

    this.addSql(`alter table kernel_webhook_delivery drop constraint kernel_webhook_delivery_lease_check`);
    this.addSql(`drop index kernel_webhook_delivery_dead_idx`);
    this.addSql(`drop index kernel_webhook_delivery_tenant_idx`);
    this.addSql(`create index kernel_webhook_delivery_tenant_idx on kernel_webhook_delivery (tenant_id, status)`);
    this.addSql(`create index kernel_webhook_delivery_trace_idx on kernel_webhook_delivery (trace_id)`);

    this.addSql(`create index kernel_outbox_event_trace_idx on kernel_outbox_event (trace_id)`);
  }
}
