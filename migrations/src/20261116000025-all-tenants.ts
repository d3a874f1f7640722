import { Migration } from '@mikro-orm/migrations';

const NIL = '00000000-0000-0000-0000-000000000000';
const NOBODY = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/**
 * Only handlers get the events of all tenants. Any other endpoint for all tenants gets an unused tenant id and is
 * deleted; if it was a handler's, the next start restores it.
 */
export class Migration20261116000025AllTenants extends Migration {
  override name = '20261116000025-all-tenants';

  override up(): void {
    this.addSql(`
      update kernel_webhook_endpoint
      set tenant_id = case when tenant_id = '${NIL}' then '${NOBODY}' else tenant_id end,
        dispatcher = nullif(dispatcher, 'handler'),
        deleted_at = coalesce(deleted_at, clock_timestamp()),
        updated_at = clock_timestamp()
      where (tenant_id = '${NIL}') <> (dispatcher is not distinct from 'handler')
    `);
    this.addSql(`
      alter table kernel_webhook_endpoint
        add constraint kernel_webhook_endpoint_all_tenants_check
        check ((tenant_id = '${NIL}') = (not dispatcher is distinct from 'handler'))
    `);
  }

  override down(): void {
    this.addSql(`alter table kernel_webhook_endpoint drop constraint kernel_webhook_endpoint_all_tenants_check`);
  }
}
