import { Migration } from '@mikro-orm/migrations';

/**
 * KER-1, KFM-8. A seal covers the entries recorded from `from_time` until before `to_time`: their ids (16 bytes each)
 * and hashes (32 bytes each) in order, and a signature over both and over the previous seal. The head names the last
 * seal. Entries are found by time; a BRIN index costs their writers next to nothing.
 */
export class Migration20261116000019LedgerSeals extends Migration {
  override name = '20261116000019-ledger-seals';

  override up(): void {
    this.addSql(`
      create index kernel_ledger_entry_recorded_idx on kernel_ledger_entry using brin (recorded_at)
        with (autosummarize = on, pages_per_range = 32)
    `);
    this.addSql(`
      create table kernel_ledger_seal (
        batch_number int not null,
        from_time timestamptz not null,
        to_time timestamptz not null,
        entry_count int not null,
        entry_ids bytea not null,
        entry_hashes bytea not null,
        previous_seal bytea not null,
        seal bytea not null,
        sealed_at timestamptz not null default clock_timestamp(),
        constraint kernel_ledger_seal_pkey primary key (batch_number)
      )
    `);
    // Hashes cannot be compressed, so PostgreSQL must not try.
    this.addSql(`
      alter table kernel_ledger_seal alter entry_ids set storage external, alter entry_hashes set storage external
    `);
    this.addSql(`
      create table kernel_ledger_head (
        is_head boolean not null default true,
        batch_number int not null,
        seal bytea not null,
        signature bytea not null,
        constraint kernel_ledger_head_pkey primary key (is_head),
        constraint kernel_ledger_head_single_check check (is_head)
      )
    `);
    this.addSql(`
      create function kernel_refuse_seal_change() returns trigger language plpgsql as $$
      begin
        raise exception 'kernel_ledger_seal is append-only: % refused', tg_op using errcode = 'restrict_violation';
      end $$
    `);
    this.addSql(`
      create trigger kernel_ledger_seal_keep_row before update or delete on kernel_ledger_seal
        for each row execute function kernel_refuse_seal_change()
    `);
    this.addSql(`
      create trigger kernel_ledger_seal_keep_table before truncate on kernel_ledger_seal
        for each statement execute function kernel_refuse_seal_change()
    `);
  }

  override down(): void {
    this.addSql(`drop table kernel_ledger_head`);
    this.addSql(`drop table kernel_ledger_seal`);
    this.addSql(`drop function kernel_refuse_seal_change`);
    this.addSql(`drop index kernel_ledger_entry_recorded_idx`);
  }
}
