import { type RunningApp, serveOpenApi, startApp } from '@kernel/app';
import { OneTimeCode } from '@kernel/eventbus-admin';
import { securityHeaders } from '@kernel/http';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { DemoTenant, demoSecret } from './demo/demo-tenant.js';
import { ErpModule } from './erp.module.js';
import { AppLogger } from './logging/app-logger.js';
import type { ErpSettings } from './settings/erp-settings.js';

export { reachableOrigin, type RunningApp } from '@kernel/app';
export { findAppRole } from './database/find-app-role.js';
export { prepareDatabase } from './database/prepare-database.js';
export { rotateDatabaseKey, type KeyRotation } from './database/rotate-master-key.js';
export { DEMO_TENANT_ID, demoSecret } from './demo/demo-tenant.js';
export type { ErpSettings } from './settings/erp-settings.js';
export { readKeys, type Keys } from './settings/key-files.js';
export { readEnvironment, type EnvironmentSettings } from './settings/read-environment.js';
export { SettingsError } from './settings/settings.error.js';

export interface RunningErp extends RunningApp {
  /** Valid for one sign-in, soon after the start; a worker has no console. */
  consoleLink: string | undefined;
}

const OPEN_API = {
  title: 'Kernel ERP',
  description: 'Invoices that publish events, and the administration of the event bus',
};

/** Needs a prepared database. Creates the demo tenant before it listens, so the first request finds it. */
export async function startErp(settings: ErpSettings): Promise<RunningErp> {
  const app = await NestFactory.create<NestExpressApplication>(ErpModule.with(settings), {
    abortOnError: false,
    bodyParser: false,
    bufferLogs: true,
  });
  const codes = settings.role === 'worker' ? undefined : app.get(OneTimeCode);
  const running = await startApp(app, settings, async () => {
    app.useLogger(app.get(AppLogger));
    app.use(securityHeaders);
    if (codes) {
      serveOpenApi(app, OPEN_API);
    }
    await app.init();
    if (settings.isDemo && settings.receiverUrl) {
      await app.get(DemoTenant).provide(settings.receiverUrl, demoSecret(settings.masterKey));
    }
  });
  return { ...running, consoleLink: codes && consoleLink(running, codes) };
}

/** The code is in the fragment, which browsers do not send to a server. */
function consoleLink({ url }: RunningApp, code: OneTimeCode): string {
  return `${url}/console#code=${code.issue()}`;
}
