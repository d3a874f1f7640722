import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Logger } from 'nestjs-pino';
import type { Command } from './command/parse-command.js';
import { runCommand } from './command/run-command.js';
import { listen, type RunningApp } from './http/listen.js';
import { HydrologyModule, HydrologyServerModule } from './hydrology.module.js';
import type { HydrologySettings } from './settings/hydrology-settings.js';

export { parseCommand, type Command } from './command/parse-command.js';
export type { RunReport } from './command/run-command.js';
export { prepareDatabase } from './database/prepare-database.js';
export type { RunningApp } from './http/listen.js';
export { type HydrologySettings, KFM_TENANT_ID } from './settings/hydrology-settings.js';

/** The start of the framework is nobody's news; what the app says later goes to pino. */
const QUIET_START = { abortOnError: false, logger: ['error', 'fatal'] } as const;

/** Runs one command to its end, as an application context: no server, no port. Needs a prepared database. */
export async function executeCommand(
  settings: HydrologySettings,
  command: Exclude<Command, { name: 'serve' }>,
): Promise<unknown> {
  const app = await NestFactory.createApplicationContext(HydrologyModule.with(settings), {
    ...QUIET_START,
    logger: [...QUIET_START.logger],
  });
  return inApp(app, () => runCommand(app, command));
}

/** Serves the catalogue and the admin API. Needs a prepared database. */
export async function startHydrology(settings: HydrologySettings): Promise<RunningApp> {
  const app = await NestFactory.create<NestExpressApplication>(HydrologyServerModule.with(settings), {
    ...QUIET_START,
    logger: [...QUIET_START.logger],
  });
  try {
    app.disable('x-powered-by');
    await app.init();
    app.useLogger(app.get(Logger));
    return await listen(app, settings.port);
  } catch (error) {
    await app.close();
    throw error;
  }
}

async function inApp<T>(app: INestApplicationContext, work: () => Promise<T>): Promise<T> {
  try {
    app.useLogger(app.get(Logger));
    return await work();
  } finally {
    await app.close();
  }
}
