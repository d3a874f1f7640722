import { MikroORM } from '@mikro-orm/postgresql';
import { ConsoleLogger } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { listen, type RunningApp } from '../http/listen.js';
import { securityHeaders } from '../http/security-headers.js';
import { ProjectionModule } from './projection.module.js';
import type { ProjectionSettings } from './projection-settings.js';

/** Another service, in a process of its own, that knows the tenants' governance from events alone. */
export async function startProjection(settings: ProjectionSettings): Promise<RunningApp> {
  const app = await NestFactory.create<NestExpressApplication>(ProjectionModule.with(settings), {
    abortOnError: false,
    logger: new ConsoleLogger({ json: true, logLevels: ['warn', 'error', 'fatal'] }),
  });
  try {
    app.disable('x-powered-by');
    app.use(securityHeaders);
    await app.get(MikroORM).migrator.up();
    await app.init();
    return await listen(app, settings.port);
  } catch (error) {
    await app.close();
    throw error;
  }
}
