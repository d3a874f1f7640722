import { QUIET_START, type RunningApp, serveOpenApi, startApp, withOrm } from '@kernel/app';
import { migrate } from '@kernel/eventbus';
import { securityHeaders } from '@kernel/http';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Logger } from 'nestjs-pino';
import { ormOptions } from './database/orm-options.js';
import type { SignaturesSettings } from './settings/signatures-settings.js';
import { SignaturesModule } from './signatures.module.js';

export type { RunningApp } from '@kernel/app';
export type { SignaturesSettings } from './settings/signatures-settings.js';

/** Applies pending migrations as the owner of the tables. */
export async function prepareDatabase(databaseUrl: string): Promise<void> {
  await withOrm(ormOptions({ databaseUrl }), migrate);
}

/** Needs a prepared database. */
export async function startSignatures(settings: SignaturesSettings): Promise<RunningApp> {
  const app = await NestFactory.create<NestExpressApplication>(SignaturesModule.with(settings), {
    ...QUIET_START,
    bodyParser: false,
  });
  return startApp(app, settings, async () => {
    app.use(securityHeaders);
    serveOpenApi(app, {
      title: 'Signatures',
      description: 'Signature requests that publish domain events, and the administration of the event bus',
    });
    await app.init();
    app.useLogger(app.get(Logger));
  });
}
