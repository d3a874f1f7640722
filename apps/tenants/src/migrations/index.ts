import { Migration20261116500001Tenant } from './20261116500001-tenant.js';

/** The domain's own table; run after the kernel's migrations. */
export const tenantMigrations = [Migration20261116500001Tenant];
