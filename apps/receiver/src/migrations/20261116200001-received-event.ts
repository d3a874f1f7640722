import { Migration } from '@mikro-orm/migrations';

/** In a separate schema: it stands for a customer's database, even when both are on one server. */
export class Migration20261116200001ReceivedEvent extends Migration {
  override name = '20261116200001-received-event';

  override up(): void {
    this.addSql(`create schema if not exists receiver`);
    this.addSql(`
      create table receiver.received_event (
        event_id uuid not null,
        type text not null,
        tenant_id uuid not null,
        trace_id text not null,
        verified boolean not null,
        duplicates int not null default 0,
        received_at timestamptz not null default clock_timestamp(),
        headers json not null,
        body json not null,
        constraint received_event_pkey primary key (event_id)
      )
    `);
    this.addSql(`create index received_event_received_at_idx on receiver.received_event (received_at desc)`);
  }

  override down(): void {
    this.addSql(`drop table receiver.received_event`);
  }
}
