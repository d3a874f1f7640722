import { Migration } from '@mikro-orm/migrations';

const PRUNE = 'timestamptz, timestamptz, uuid, int';

const REFUSE = `
  raise exception 'kernel_outbox_event is immutable: % refused', tg_op
    using errcode = 'restrict_violation', hint = 'Retention drops whole partitions; envelopes are never changed in place.';
`;

/**
 * KER-1, KFM-8, ADR-12. Progress and findings of the background verification of the seal chain; and removal of rows
 * from the default partition, which is never dropped: row by row, through a function of the owner, once they are
 * finished and old.
 */
export class Migration20261116000028Upkeep extends Migration {
  override name = '20261116000028-upkeep';

  override up(): void {
    this.ledgerVerification();
    this.letSettledGo();
    this.pruneDefaultPartition();
    this.grantRights();
  }

  override down(): void {
    this.addSql(`drop function kernel_grant_rights()`);
    this.addSql(`alter function kernel_grant_rights_on_tables() rename to kernel_grant_rights`);
    this.addSql(`drop function kernel_prune_default_partition(${PRUNE})`);
    this.addSql(`
      create or replace function kernel_refuse_outbox_change() returns trigger language plpgsql as $$
      begin
        ${REFUSE}
      end $$
    `);
    this.addSql(`drop table kernel_ledger_verification`);
  }

  /** One row. The position is signed, so that it cannot be moved past changed entries. */
  private ledgerVerification(): void {
    this.addSql(`
      create table kernel_ledger_verification (
        is_single boolean not null default true,
        batch_number int not null,
        to_time timestamptz not null,
        seal bytea not null,
        began_at timestamptz not null,
        ended_at timestamptz null,
        signature bytea not null,
        fault text null,
        fault_batch_number int null,
        fault_entry_id uuid null,
        fault_seen_at timestamptz null,
        is_fault_ordered boolean not null default false,
        constraint kernel_ledger_verification_pkey primary key (is_single),
        constraint kernel_ledger_verification_single_check check (is_single)
      )
    `);
  }

  /** Only the owner may delete, only with an explicit setting, and never pending or young events. */
  private letSettledGo(): void {
    this.addSql(`
      create or replace function kernel_refuse_outbox_change() returns trigger language plpgsql as $$
      begin
        if tg_op = 'DELETE' and tg_table_name = 'kernel_outbox_event_default'
          and current_setting('kernel.prunes_settled', true) = 'on'
        then
          if old.status = 'PUBLISHED' and old.created_at < clock_timestamp() - kernel_least_event_age() then
            return old;
          end if;
        end if;
        ${REFUSE}
      end $$
    `);
  }

  /**
   * Walks a batch of old published events, oldest first, after the given position, and removes those whose deliveries
   * are all DELIVERED. An envelope that may still be sent is kept. Waits only for writers of the same rows.
   */
  private pruneDefaultPartition(): void {
    this.addSql(`
      create function kernel_prune_default_partition(
        created_before timestamptz, after_time timestamptz, after_id uuid, most int,
        out pruned int, out last_time timestamptz, out last_id uuid
      ) language plpgsql security definer as $$
      declare
        old_before timestamptz := least(created_before, clock_timestamp() - kernel_least_event_age());
      begin
        perform set_config('kernel.prunes_settled', 'on', true);
        with walked as materialized (
          select event_id, created_at from kernel_outbox_event_default
          where status = 'PUBLISHED' and created_at < old_before and (created_at, event_id) > (after_time, after_id)
          order by created_at, event_id
          limit most
        ), deleted as (
          delete from kernel_outbox_event_default e using walked
          where e.event_id = walked.event_id and not exists (
            select from kernel_webhook_delivery d where d.event_id = walked.event_id and d.status <> 'DELIVERED'
          )
          returning e.event_id
        )
        select (select count(*) from deleted), last.created_at, last.event_id into pruned, last_time, last_id
        from (select) as always
        left join (select * from walked order by created_at desc, event_id desc limit 1) last on true;
        perform set_config('kernel.prunes_settled', '', true);
      end $$
    `);
    this.addSql(`
      do $$
      begin
        execute format(
          'alter function kernel_prune_default_partition(${PRUNE}) set search_path = %I, pg_temp', current_schema()
        );
      end $$
    `);
    this.addSql(`revoke execute on function kernel_prune_default_partition(${PRUNE}) from public`);
  }

  /** Also applies to roles that are created and granted later. */
  private grantRights(): void {
    this.addSql(`alter function kernel_grant_rights() rename to kernel_grant_rights_on_tables`);
    this.addSql(`
      create function kernel_grant_rights() returns boolean language plpgsql as $$
      begin
        if not kernel_grant_rights_on_tables() then
          return false;
        end if;
        grant execute on function kernel_prune_default_partition(${PRUNE}) to kernel_app;
        return true;
      end $$
    `);
    this.addSql(`select kernel_grant_rights()`);
  }
}
