export { prepareDatabase } from './database/prepare-database.js';
export type { RunningApp } from './http/listen.js';
export type { TenantsSettings } from './settings/tenants-settings.js';
export { startTenants } from './start-tenants.js';

export { startProjection } from './projection/start-projection.js';
export type { ProjectionSettings } from './projection/projection-settings.js';
