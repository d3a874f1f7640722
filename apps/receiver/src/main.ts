import { type RunningApp, startApp } from '@kernel/app';
import { migrate } from '@kernel/eventbus';
import { MikroORM } from '@mikro-orm/postgresql';
import { ConsoleLogger, Logger } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { ReceiverModule } from './receiver.module.js';
import type { ReceiverSettings } from './receiver-settings.js';

export type { RunningApp } from '@kernel/app';
export type { ReceiverSettings } from './receiver-settings.js';

/** Example of a customer's receiver: accepts webhooks at `/webhooks` and lists the verified ones at `/received`. */
export async function startReceiver(settings: ReceiverSettings): Promise<RunningApp> {
  const app = await NestFactory.create<NestExpressApplication>(ReceiverModule.with(settings), {
    abortOnError: false,
    bodyParser: false,
    logger: new ConsoleLogger({ json: true, logLevels: ['warn', 'error', 'fatal'] }),
  });
  return startApp(app, settings, async () => {
    await migrate(app.get(MikroORM));
    await app.init();
    if (!settings.secret) {
      new Logger('Receiver').warn('no secret is set, so nothing can be verified: every webhook is answered 401');
    }
  });
}
