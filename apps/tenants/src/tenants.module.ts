import { SettingsModule, jsonBody, loggerOptions } from '@kernel/app';
import { EventBusAdminModule } from '@kernel/eventbus-admin';
import { EventBusHealthModule, EventBusMetricsModule } from '@kernel/eventbus-ops';
import { EventBusModule, type EventBusOptions } from '@kernel/eventbus';
import { ProblemFilter } from '@kernel/http';
import { NatsModule, NatsSinkDispatcher } from '@kernel/eventbus-nats';
import { MikroOrmModule } from '@mikro-orm/nestjs';
import { type DynamicModule, type MiddlewareConsumer, Module, type NestModule } from '@nestjs/common';
import { APP_FILTER, APP_PIPE } from '@nestjs/core';
import { LoggerModule } from 'nestjs-pino';
import { ZodValidationPipe } from 'nestjs-zod';
import { ormOptions } from './database/orm-options.js';
import { governanceChanged } from './governance/governance.events.js';
import { TenantsController } from './governance/tenants.controller.js';
import { TenantsService } from './governance/tenants.service.js';
import { ProjectionFeed } from './publication/projection-feed.js';
import { TenantsSettings } from './settings/tenants-settings.js';

@Module({})
export class TenantsModule implements NestModule {
  static with(settings: TenantsSettings): DynamicModule {
    return {
      module: TenantsModule,
      imports: [
        SettingsModule.with(TenantsSettings, settings),
        MikroOrmModule.forRoot({ ...ormOptions(settings), registerRequestContext: true }),
        NatsModule.forRoot({ connection: { servers: settings.natsUrl }, sink: {} }),
        EventBusModule.forRoot(eventBusOptions(settings)),
        LoggerModule.forRoot(loggerOptions(settings, ['payload'])),
        EventBusHealthModule,
        EventBusMetricsModule.forRoot({ service: 'tenants' }),
        EventBusAdminModule,
      ],
      controllers: [TenantsController],
      providers: [
        TenantsService,
        ProjectionFeed,
        { provide: APP_FILTER, useClass: ProblemFilter },
        { provide: APP_PIPE, useClass: ZodValidationPipe },
      ],
    };
  }

  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(jsonBody).forRoutes('{*path}');
  }
}

function eventBusOptions(settings: TenantsSettings): EventBusOptions {
  const { masterKey, previousMasterKey, adminToken, allowHttp, allowedCidrs, recovery } = settings;
  return {
    ...{ masterKey, previousMasterKey, adminToken, allowHttp, allowedCidrs, ...recovery },
    events: [governanceChanged],
    dispatchers: [NatsSinkDispatcher],
  };
}
