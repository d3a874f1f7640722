import { loggerOptions, SettingsModule } from '@kernel/app';
import { EventBusAdminModule } from '@kernel/eventbus-admin';
import { EventBusHealthModule, EventBusMetricsModule } from '@kernel/eventbus-ops';
import { EventBusModule, type EventBusOptions } from '@kernel/eventbus';
import { ProblemFilter } from '@kernel/http';
import { MikroOrmModule } from '@mikro-orm/nestjs';
import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER, APP_PIPE } from '@nestjs/core';
import { LoggerModule, type Params } from 'nestjs-pino';
import { ZodValidationPipe } from 'nestjs-zod';
import { destination } from 'pino';
import { CatalogueController } from './catalogue/catalogue.controller.js';
import { CatalogueModule } from './catalogue/catalogue.module.js';
import { ormOptions } from './database/orm-options.js';
import { PipelineModule } from './pipeline/pipeline.module.js';
import { ArtifactPublished } from './publication/artifact.events.js';
import { RecordsModule } from './records/records.module.js';
import { HydrologySettings } from './settings/hydrology-settings.js';

const STANDARD_ERROR = 2;

/** The pipeline and its consumer, for commands. */
@Module({})
export class HydrologyModule {
  static with(settings: HydrologySettings): DynamicModule {
    return {
      module: HydrologyModule,
      imports: [
        SettingsModule.with(HydrologySettings, settings),
        MikroOrmModule.forRoot({ ...ormOptions(settings), registerRequestContext: true }),
        EventBusModule.forRoot(eventBusOptions(settings)),
        LoggerModule.forRoot(logOptions(settings)),
        PipelineModule,
        CatalogueModule,
        RecordsModule,
      ],
      exports: [CatalogueModule],
    };
  }
}

/** The same with routes: the catalogue, the administration of the event bus, health, metrics. */
@Module({})
export class HydrologyServerModule {
  static with(settings: HydrologySettings): DynamicModule {
    return {
      module: HydrologyServerModule,
      imports: [
        HydrologyModule.with(settings),
        EventBusAdminModule,
        EventBusHealthModule,
        EventBusMetricsModule.forRoot({ service: 'hydrology' }),
      ],
      controllers: [CatalogueController],
      providers: [
        { provide: APP_FILTER, useClass: ProblemFilter },
        { provide: APP_PIPE, useClass: ZodValidationPipe },
      ],
    };
  }
}

function logOptions({ logLevel, logStream = destination(STANDARD_ERROR) }: HydrologySettings): Params {
  return loggerOptions({ logLevel, logStream }, ['payload']);
}

function eventBusOptions(settings: HydrologySettings): EventBusOptions {
  const { masterKey, previousMasterKey, adminToken, allowHttp, allowedCidrs } = settings;
  return {
    ...{ masterKey, previousMasterKey, adminToken, allowHttp, allowedCidrs },
    events: [ArtifactPublished],
    idempotency: { isKeyRequired: true },
    telemetryAttributes: ['pipelineId'],
  };
}
