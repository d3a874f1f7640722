import { ProblemFilter } from '@kernel/eventbus';
import { MikroOrmModule } from '@mikro-orm/nestjs';
import { type DynamicModule, type MiddlewareConsumer, Module, type NestModule } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { ormOptions } from './orm-options.js';
import { rawBody } from './raw-body.js';
import { ReceivedController } from './received/received.controller.js';
import { WebhookVerifier } from './received/webhook-verifier.js';
import { ReceiverSettings } from './receiver-settings.js';

@Module({})
export class ReceiverModule implements NestModule {
  static with(settings: ReceiverSettings): DynamicModule {
    return {
      module: ReceiverModule,
      imports: [MikroOrmModule.forRoot({ ...ormOptions(settings.databaseUrl), registerRequestContext: true })],
      controllers: [ReceivedController],
      providers: [
        { provide: ReceiverSettings, useValue: settings },
        WebhookVerifier,
        { provide: APP_FILTER, useClass: ProblemFilter },
      ],
    };
  }

  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(rawBody).forRoutes('webhooks');
  }
}
