import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Logger } from 'nestjs-pino';
import { listen, type RunningApp } from './http/listen.js';
import { serveOpenApi } from './http/open-api.js';
import { securityHeaders } from './http/security-headers.js';
import type { SignaturesSettings } from './settings/signatures-settings.js';
import { SignaturesModule } from './signatures.module.js';

export { prepareDatabase } from './database/prepare-database.js';
export type { RunningApp } from './http/listen.js';
export type { SignaturesSettings } from './settings/signatures-settings.js';

/** Needs a prepared database. */
export async function startSignatures(settings: SignaturesSettings): Promise<RunningApp> {
  const app = await NestFactory.create<NestExpressApplication>(SignaturesModule.with(settings), {
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
