import { Migration } from '@mikro-orm/migrations';

/**
 * Events that a worker has sent, or is about to send, before their deliveries are written, with the worker's dispatch
 * times: the only record of them if the worker falls silent. A row lasts as long as its batch, or until its events are
 * routed again.
 */
export class Migration20261116000036UnwrittenBatches extends Migration {
  override name = '20261116000036-unwritten-batches';

  override up(): void {
    this.addSql(`
      create table kernel_unwritten_batch (
        batch_id uuid not null,
        worker_id text null,
        event_ids uuid[] not null,
        dispatched_at timestamptz[] not null,
        constraint kernel_unwritten_batch_pkey primary key (batch_id)
      ) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0)
    `);
    // Ids cannot be compressed.
    this.addSql(`alter table kernel_unwritten_batch alter column event_ids set storage external`);
    this.addSql(`select kernel_grant_rights()`);
  }

  override down(): void {
    this.addSql(`drop table kernel_unwritten_batch`);
  }
}
