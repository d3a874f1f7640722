import { Migration20261116500001Tenant } from './20261116500001-tenant.js';

/** The domain's own table; it comes after the kernel's. */
export const tenantMigrations = [Migration20261116500001Tenant];
