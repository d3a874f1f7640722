import { Migration } from '@mikro-orm/migrations';

export class Migration20261116300001Flow extends Migration {
  override name = '20261116300001-hydrology-flow';

  override up(): void {
    this.addSql(`
      create table hydrology_artifact_version (
        dataset_id text not null,
        version text not null,
        pipeline_id text not null,
        idempotency_key text not null,
        artifact_uri text not null,
        checksum text not null,
        byte_size bigint not null,
        care_label text not null,
        created_at timestamptz not null default clock_timestamp(),
        constraint hydrology_artifact_version_pkey primary key (dataset_id, version)
      )
    `);
    this.addSql(`
      create table hydrology_pipeline_state (
        dataset_id text not null,
        pipeline_id text not null,
        version text not null,
        publications int not null,
        updated_at timestamptz not null default clock_timestamp(),
        constraint hydrology_pipeline_state_pkey primary key (dataset_id)
      )
    `);
    this.addSql(`
      create table hydrology_catalogue_item (
        item_id text not null,
        event_id uuid not null,
        item jsonb not null,
        revision int not null,
        updated_at timestamptz not null default clock_timestamp(),
        constraint hydrology_catalogue_item_pkey primary key (item_id)
      )
    `);
    this.addSql(`
      do $$ begin
        if exists (select from pg_roles where rolname = 'kernel_app') then
          grant select, insert, update on hydrology_pipeline_state, hydrology_catalogue_item to kernel_app;
          grant select, insert on hydrology_artifact_version to kernel_app;
        end if;
      end $$
    `);
  }

  override down(): void {
    this.addSql(`drop table hydrology_catalogue_item`);
    this.addSql(`drop table hydrology_pipeline_state`);
    this.addSql(`drop table hydrology_artifact_version`);
  }
}
