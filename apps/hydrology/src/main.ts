import { QUIET_START, type RunningApp, startApp, withOrm } from '@kernel/app';
import { migrate } from '@kernel/eventbus';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Logger } from 'nestjs-pino';
import type { Command } from './command/parse-command.js';
import { runCommand } from './command/run-command.js';
import { ormOptions } from './database/orm-options.js';
import { HydrologyModule, HydrologyServerModule } from './hydrology.module.js';
import type { HydrologySettings } from './settings/hydrology-settings.js';

export type { RunningApp } from '@kernel/app';
export { parseCommand, type Command } from './command/parse-command.js';
export type { RunReport } from './command/run-command.js';
export { type HydrologySettings, KFM_TENANT_ID } from './settings/hydrology-settings.js';

/** Applies pending migrations as the owner of the tables. */
export async function prepareDatabase(databaseUrl: string): Promise<void> {
  await withOrm(ormOptions({ databaseUrl }), migrate);
}

/** Runs one command to completion, as an application context: no server, no port. Needs a prepared database. */
export async function executeCommand(
  settings: HydrologySettings,
  command: Exclude<Command, { name: 'serve' }>,
): Promise<unknown> {
  const app = await NestFactory.createApplicationContext(HydrologyModule.with(settings), QUIET_START);
  return inApp(app, () => runCommand(app, command));
}

/** Serves the catalogue and the admin API. Needs a prepared database. */
export async function startHydrology(settings: HydrologySettings): Promise<RunningApp> {
  const app = await NestFactory.create<NestExpressApplication>(HydrologyServerModule.with(settings), QUIET_START);
  return startApp(app, settings, async () => {
    await app.init();
    app.useLogger(app.get(Logger));
  });
}

async function inApp<T>(app: INestApplicationContext, work: () => Promise<T>): Promise<T> {
  try {
    app.useLogger(app.get(Logger));
    return await work();
  } finally {
    await app.close();
  }
}
