import { Migration } from '@mikro-orm/migrations';

/**
 * Secrets of several kinds, whose versions can expire; the master key of each, so that a rotation finds the remaining
 * ones; and an endpoint's signature scheme and extra headers. Revoked secrets hold no ciphertext.
 */
export class Migration20261116000015SecretVersions extends Migration {
  override name = '20261116000015-secret-versions';

  override up(): void {
    this.addSql(`
      alter table kernel_secret_version
        add column kind text not null default 'hmac',
        add column live_until timestamptz null,
        add column key_fingerprint text null,
        add constraint kernel_secret_version_kind_check check (kind in ('hmac', 'ed25519', 'credential'))
    `);
    this.addSql(`
      update kernel_secret_version
      set key_fingerprint = (select fingerprint from kernel_master_key),
        ciphertext = case when state = 'revoked' then '' else ciphertext end
    `);
    // For data that outlasts a rotation of the master key; null until the first one.
    this.addSql(`alter table kernel_master_key add column lasting_key bytea null`);
    this.addSql(`
      alter table kernel_webhook_endpoint
        add column signature text not null default 'v1',
        add column headers jsonb not null default '{}',
        add constraint kernel_webhook_endpoint_signature_check check (signature in ('v1', 'v1a')),
        add constraint kernel_webhook_endpoint_alias_key_check check (signing_secret_alias not like 'whsk\\_%')
    `);
  }

  override down(): void {
    this.addSql(`
      alter table kernel_webhook_endpoint
        drop constraint kernel_webhook_endpoint_alias_key_check, drop column signature, drop column headers
    `);
    this.addSql(`alter table kernel_master_key drop column lasting_key`);
    this.addSql(`
      alter table kernel_secret_version drop column kind, drop column live_until, drop column key_fingerprint
    `);
  }
}
