import { OneTimeCode } from '@kernel/eventbus';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { serveConsole } from './console/serve-console.js';
import { DemoTenant, demoSecret } from './demo/demo-tenant.js';
import { ErpModule } from './erp.module.js';
import { listen, type RunningApp } from './http/listen.js';
import { serveOpenApi } from './http/open-api.js';
import { securityHeaders } from './http/security-headers.js';
import { AppLogger } from './logging/app-logger.js';
import type { ErpSettings } from './settings/erp-settings.js';

export { findAppRole } from './database/find-app-role.js';
export { prepareDatabase } from './database/prepare-database.js';
export { rotateDatabaseKey, type KeyRotation } from './database/rotate-master-key.js';
export { DEMO_TENANT_ID, demoSecret } from './demo/demo-tenant.js';
export type { RunningApp } from './http/listen.js';
export type { ErpSettings } from './settings/erp-settings.js';
export { readKeys, type Keys } from './settings/key-files.js';
export { readEnvironment, type EnvironmentSettings } from './settings/read-environment.js';
export { SettingsError } from './settings/settings.error.js';

export interface RunningErp extends RunningApp {
  /** Signs in once, soon after the start; a worker has no console. */
  consoleLink: string | undefined;
}

/** Needs a prepared database. Provides the demo tenant before it listens: whoever is answered finds everything there. */
export async function startErp(settings: ErpSettings): Promise<RunningErp> {
  const app = await NestFactory.create<NestExpressApplication>(ErpModule.with(settings), {
    abortOnError: false,
    bodyParser: false,
    bufferLogs: true,
  });
  try {
    app.useLogger(app.get(AppLogger));
    app.disable('x-powered-by');
    app.use(securityHeaders);
    if (settings.role !== 'worker') {
      serveOpenApi(app);
      serveConsole(app, settings.consoleFolder ?? 'apps/console/dist');
    }
    await app.init();
    if (settings.isDemo && settings.receiverUrl) {
      await app.get(DemoTenant).provide(settings.receiverUrl, demoSecret(settings.masterKey));
    }
    const running = await listen(app, settings.port);
    const isConsoleServed = settings.role !== 'worker';
    return { ...running, consoleLink: isConsoleServed ? consoleLink(running, app.get(OneTimeCode)) : undefined };
  } catch (error) {
    await app.close();
    throw error;
  }
}

/** The code stands behind the #, which browsers send to nobody. */
function consoleLink({ url }: RunningApp, code: OneTimeCode): string {
  return `${url}/console#code=${code.issue()}`;
}
