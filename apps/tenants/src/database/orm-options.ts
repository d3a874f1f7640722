import { appOrmOptions, type DatabasePlace } from '@kernel/app';
import { TenantEntity } from '../governance/tenant.entity.js';
import { tenantMigrations } from '../migrations/index.js';

export function ormOptions(place: DatabasePlace) {
  return appOrmOptions(place, { entities: [TenantEntity], migrations: tenantMigrations });
}
