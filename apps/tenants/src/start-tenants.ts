import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Logger } from 'nestjs-pino';
import { listen, type RunningApp } from './http/listen.js';
import { serveOpenApi } from './http/open-api.js';
import { securityHeaders } from './http/security-headers.js';
import type { TenantsSettings } from './settings/tenants-settings.js';
import { TenantsModule } from './tenants.module.js';

/** The service that owns the tenants. Needs a prepared database; the broker may come later. */
export async function startTenants(settings: TenantsSettings): Promise<RunningApp> {
  const app = await NestFactory.create<NestExpressApplication>(TenantsModule.with(settings), {
    abortOnError: false,
    bodyParser: false,
    // The start of the framework is nobody's news; what the app says later goes to pino.
    logger: ['error', 'fatal'],
  });
  try {
    app.disable('x-powered-by');
    app.use(securityHeaders);
    serveOpenApi(app);
    await app.init();
    app.useLogger(app.get(Logger));
    return await listen(app, settings.port);
  } catch (error) {
    await app.close();
    throw error;
  }
}
