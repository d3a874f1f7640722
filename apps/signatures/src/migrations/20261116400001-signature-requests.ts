import { Migration } from '@mikro-orm/migrations';

export class Migration20261116400001SignatureRequests extends Migration {
  override name = '20261116400001-signature-requests';

  override up(): void {
    this.addSql(`
      create table signature_request (
        signature_request_id uuid not null,
        tenant_id uuid not null,
        customer_pseudonym text not null,
        transaction_context_hash text not null,
        channel text not null,
        risk_level text not null,
        status text not null,
        code_hash text null,
        challenges int not null,
        failed_answers int not null,
        expires_at timestamptz not null,
        created_at timestamptz not null,
        updated_at timestamptz not null,
        constraint signature_request_pkey primary key (signature_request_id),
        constraint signature_request_status_check
          check (status in ('CREATED', 'CHALLENGED', 'COMPLETED', 'ABORTED', 'EXPIRED'))
      )
    `);
    this.addSql(`
      create index signature_request_open_idx on signature_request (expires_at)
        where status in ('CREATED', 'CHALLENGED')
    `);
    this.addSql(`
      do $$ begin
        if exists (select from pg_roles where rolname = 'kernel_app') then
          grant select, insert, update on signature_request to kernel_app;
        end if;
      end $$
    `);
  }

  override down(): void {
    this.addSql(`drop table signature_request`);
  }
}
