import { QUIET_START, type RunningApp, serveOpenApi, startApp, withOrm } from '@kernel/app';
import { migrate } from '@kernel/eventbus';
import { securityHeaders } from '@kernel/http';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Logger } from 'nestjs-pino';
import { ormOptions } from './database/orm-options.js';
import type { TenantsSettings } from './settings/tenants-settings.js';
import { TenantsModule } from './tenants.module.js';

/** Applies pending migrations as the owner of the tables. */
export async function prepareDatabase(databaseUrl: string): Promise<void> {
  await withOrm(ormOptions({ databaseUrl }), migrate);
}

/** The service that owns the tenants. Needs a prepared database; the broker may start later. */
export async function startTenants(settings: TenantsSettings): Promise<RunningApp> {
  const app = await NestFactory.create<NestExpressApplication>(TenantsModule.with(settings), {
    ...QUIET_START,
    bodyParser: false,
  });
  return startApp(app, settings, async () => {
    app.use(securityHeaders);
    serveOpenApi(app, {
      title: 'Tenants',
      description: 'Tenants whose governance changes are published, and the administration of the event bus',
    });
    await app.init();
    app.useLogger(app.get(Logger));
  });
}
