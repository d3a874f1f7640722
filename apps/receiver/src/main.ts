import { migrate } from '@kernel/eventbus';
import { MikroORM } from '@mikro-orm/postgresql';
import { ConsoleLogger, Logger } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { listen, type RunningReceiver } from './listen.js';
import { ReceiverModule } from './receiver.module.js';
import type { ReceiverSettings } from './receiver-settings.js';

export type { RunningReceiver } from './listen.js';
export type { ReceiverSettings } from './receiver-settings.js';

/** What a customer runs: takes webhooks at `/webhooks` and shows at `/received` which of them it could verify. */
export async function startReceiver(settings: ReceiverSettings): Promise<RunningReceiver> {
  const app = await NestFactory.create<NestExpressApplication>(ReceiverModule.with(settings), {
    abortOnError: false,
    bodyParser: false,
    logger: new ConsoleLogger({ json: true, logLevels: ['warn', 'error', 'fatal'] }),
  });
  try {
    app.disable('x-powered-by');
    await migrate(app.get(MikroORM));
    await app.init();
    if (!settings.secret) {
      new Logger('Receiver').warn('no secret is set, so nothing can be verified: every webhook is answered 401');
    }
    return await listen(app, settings.port);
  } catch (error) {
    await app.close();
    throw error;
  }
}
