import { Migration } from '@mikro-orm/migrations';

/** Deliveries are written before or while they are sent, so the events sent without a row need no record. */
export class Migration20261118000002DropUnwrittenBatches extends Migration {
  override name = '20261118000002-drop-unwritten-batches';

  override up(): void {
    this.addSql(`drop table kernel_unwritten_batch`);
  }

  override down(): void {
    this.addSql(`
      create table kernel_unwritten_batch (
        batch_id uuid not null,
        worker_id text null,
        event_ids uuid[] not null,
        dispatched_at timestamptz[] not null,
        constraint kernel_unwritten_batch_pkey primary key (batch_id)
      ) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0)
    `);
    this.addSql(`alter table kernel_unwritten_batch alter column event_ids set storage external`);
    this.addSql(`select kernel_grant_rights()`);
  }
}
