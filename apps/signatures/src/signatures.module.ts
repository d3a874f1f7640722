import { SettingsModule, jsonBody, loggerOptions } from '@kernel/app';
import { EventBusAdminModule } from '@kernel/eventbus-admin';
import { EventBusHealthModule, EventBusMetricsModule } from '@kernel/eventbus-ops';
import { EventBusModule, type EventBusOptions } from '@kernel/eventbus';
import { ProblemFilter } from '@kernel/http';
import { MikroOrmModule } from '@mikro-orm/nestjs';
import { type DynamicModule, type MiddlewareConsumer, Module, type NestModule } from '@nestjs/common';
import { APP_FILTER, APP_PIPE } from '@nestjs/core';
import { ScheduleModule } from '@nestjs/schedule';
import { LoggerModule } from 'nestjs-pino';
import { ZodValidationPipe } from 'nestjs-zod';
import { ChallengesModule } from './challenges/challenges.module.js';
import { ormOptions } from './database/orm-options.js';
import { ExpiryModule } from './expiry/expiry.module.js';
import { SignaturesSettings } from './settings/signatures-settings.js';
import { signatureEvents } from './signing/signature.events.js';
import { SigningModule } from './signing/signing.module.js';

@Module({})
export class SignaturesModule implements NestModule {
  static with(settings: SignaturesSettings): DynamicModule {
    return {
      module: SignaturesModule,
      imports: [
        SettingsModule.with(SignaturesSettings, settings),
        MikroOrmModule.forRoot({ ...ormOptions(settings), registerRequestContext: true }),
        ScheduleModule.forRoot(),
        EventBusModule.forRoot(eventBusOptions(settings)),
        LoggerModule.forRoot(loggerOptions(settings, ['payload', 'customerId', 'code'])),
        EventBusHealthModule,
        EventBusMetricsModule.forRoot({ service: 'signatures' }),
        EventBusAdminModule,
        SigningModule,
        ChallengesModule,
        ExpiryModule,
      ],
      providers: [
        { provide: APP_FILTER, useClass: ProblemFilter },
        { provide: APP_PIPE, useClass: ZodValidationPipe },
      ],
    };
  }

  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(jsonBody).forRoutes('{*path}');
  }
}

function eventBusOptions(settings: SignaturesSettings): EventBusOptions {
  const { masterKey, previousMasterKey, adminToken, allowHttp, allowedCidrs } = settings;
  return { masterKey, previousMasterKey, adminToken, allowHttp, allowedCidrs, events: signatureEvents };
}
