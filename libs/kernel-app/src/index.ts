export { AppSettings } from './app-settings.js';
export { SettingsModule } from './settings.module.js';
export { loggerOptions } from './logger-options.js';
export {
  appOrmOptions,
  schemaOrmOptions,
  type AppTables,
  type DatabasePlace,
  type SchemaTables,
} from './orm-options.js';
export { withOrm } from './with-orm.js';
export { jsonBody } from './json-body.js';
export { serveOpenApi } from './open-api.js';
export { LOOPBACK, type ListeningPlace, originOf, reachableOrigin } from './listening-place.js';
export { QUIET_START, startApp, type RunningApp } from './start-app.js';
