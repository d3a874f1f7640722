import { type RunningApp, startApp } from '@kernel/app';
import { securityHeaders } from '@kernel/http';
import { MikroORM } from '@mikro-orm/postgresql';
import { ConsoleLogger } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { ProjectionModule } from './projection.module.js';
import type { ProjectionSettings } from './projection-settings.js';

/** A separate service and process that learns the tenants' governance from events alone. */
export async function startProjection(settings: ProjectionSettings): Promise<RunningApp> {
  const app = await NestFactory.create<NestExpressApplication>(ProjectionModule.with(settings), {
    abortOnError: false,
    logger: new ConsoleLogger({ json: true, logLevels: ['warn', 'error', 'fatal'] }),
  });
  return startApp(app, settings, async () => {
    app.use(securityHeaders);
    await app.get(MikroORM).migrator.up();
    await app.init();
  });
}
