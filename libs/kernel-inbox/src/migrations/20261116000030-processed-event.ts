import { Migration } from '@mikro-orm/migrations';

/** Independent: needs no table, role or schema of the kernel. Created in the first schema of the search_path. */
export class Migration20261116000030ProcessedEvent extends Migration {
  override name = '20261116000030-processed-event';

  override up(): void {
    this.addSql(`
      create table processed_event (
        inbox text not null,
        event_id uuid not null,
        tenant_id uuid not null,
        stream_key text not null,
        sequence bigint null,
        previous_sequence bigint null,
        is_gap boolean not null default false,
        processed_at timestamptz not null default clock_timestamp(),
        constraint processed_event_pkey primary key (inbox, event_id)
      )
    `);
    this.addSql(`
      create index processed_event_stream_idx on processed_event (inbox, tenant_id, stream_key, sequence)
        where sequence is not null
    `);
    this.addSql(`create index processed_event_age_idx on processed_event (inbox, processed_at)`);
    this.addSql(`create index processed_event_gap_idx on processed_event (inbox, processed_at) where is_gap`);
  }

  override down(): void {
    this.addSql(`drop table processed_event`);
  }
}
