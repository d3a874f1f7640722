export type { RunningApp } from '@kernel/app';
export type { TenantsSettings } from './settings/tenants-settings.js';
export { prepareDatabase, startTenants } from './start-tenants.js';

export { startProjection } from './projection/start-projection.js';
export type { ProjectionSettings } from './projection/projection-settings.js';
