/** The admin API as a module, and sign-in links to the console. */
export { EventBusAdminModule } from './eventbus-admin.module.js';
export type { EventBusAdminOptions } from './admin.options.js';
export { OneTimeCode } from './session/one-time-code.js';
