import { Migration } from '@mikro-orm/migrations';

/** K-B1. A policy never changes: a new version is added beside the old one. `tenant_id` null is the type's default. */
export class Migration20261116000004PrivacyPolicy extends Migration {
  override name = '20261116000004-privacy-policy';

  override up(): void {
    this.addSql(`
      create table kernel_privacy_policy (
        policy_id uuid not null,
        tenant_id uuid null,
        event_type text not null,
        version int not null,
        rules jsonb not null,
        created_at timestamptz not null default clock_timestamp(),
        created_by text not null,
        constraint kernel_privacy_policy_pkey primary key (policy_id),
        constraint kernel_privacy_policy_version_key unique nulls not distinct (event_type, tenant_id, version)
      )
    `);
  }

  override down(): void {
    this.addSql(`drop table kernel_privacy_policy`);
  }
}
