import { Migration } from '@mikro-orm/migrations';

export class Migration20261116100001Invoices extends Migration {
  override name = '20261116100001-erp-invoices';

  override up(): void {
    this.addSql(`
      create table erp_invoice (
        invoice_id uuid not null,
        tenant_id uuid not null,
        customer jsonb not null,
        lines jsonb not null,
        region text null,
        note text null,
        total_cents bigint not null,
        status text not null default 'draft',
        created_at timestamptz not null,
        updated_at timestamptz not null,
        constraint erp_invoice_pkey primary key (invoice_id),
        constraint erp_invoice_status_check check (status in ('draft', 'posted'))
      )
    `);
    this.addSql(`create index erp_invoice_tenant_idx on erp_invoice (tenant_id, invoice_id)`);
    this.addSql(`
      create table erp_posting (
        posting_id uuid not null,
        tenant_id uuid not null,
        invoice_id uuid not null,
        total_cents bigint not null,
        posted_at timestamptz not null,
        constraint erp_posting_pkey primary key (posting_id),
        constraint erp_posting_invoice_key unique (invoice_id),
        constraint erp_posting_invoice_fkey foreign key (invoice_id) references erp_invoice (invoice_id)
      )
    `);
  }

  override down(): void {
    this.addSql(`drop table erp_posting`);
    this.addSql(`drop table erp_invoice`);
  }
}
