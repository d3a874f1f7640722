import { ProblemFilter } from '@kernel/http';
import { InboxModule } from '@kernel/inbox';
import { MikroOrmModule } from '@mikro-orm/nestjs';
import { type DynamicModule, type MiddlewareConsumer, Module, type NestModule } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { ormOptions } from './orm-options.js';
import { rawBody } from './raw-body.js';
import { ReceivedController } from './received/received.controller.js';
import type { ReceiverSettings } from './receiver-settings.js';

@Module({})
export class ReceiverModule implements NestModule {
  static with(settings: ReceiverSettings): DynamicModule {
    return {
      module: ReceiverModule,
      imports: [
        MikroOrmModule.forRoot({ ...ormOptions(settings.databaseUrl), registerRequestContext: true }),
        InboxModule.forRoot({ name: 'receiver', keys: settings.secret ? [settings.secret] : [] }),
      ],
      controllers: [ReceivedController],
      providers: [{ provide: APP_FILTER, useClass: ProblemFilter }],
    };
  }

  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(rawBody).forRoutes('webhooks');
  }
}
