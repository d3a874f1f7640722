import { SettingsModule, jsonBody } from '@kernel/app';
import { EventBusAdminModule } from '@kernel/eventbus-admin';
import { EventBusHealthModule, EventBusMetricsModule } from '@kernel/eventbus-ops';
import { EventBusModule, type EventBusOptions } from '@kernel/eventbus';
import { ProblemFilter } from '@kernel/http';
import { EventBusConsoleModule } from '@kernel/eventbus-console';
import { MikroOrmModule } from '@mikro-orm/nestjs';
import { type DynamicModule, type MiddlewareConsumer, Module, type NestModule, type Type } from '@nestjs/common';
import { APP_FILTER, APP_PIPE } from '@nestjs/core';
import { LoggerModule } from 'nestjs-pino';
import { ZodValidationPipe } from 'nestjs-zod';
import { BalanceRoutesModule } from './balances/balance-routes.module.js';
import { BalancesModule } from './balances/balances.module.js';
import { ormOptions } from './database/orm-options.js';
import { DemoTenant } from './demo/demo-tenant.js';
import { erpEvents } from './invoices/invoice.events.js';
import { InvoicesModule } from './invoices/invoices.module.js';
import { AppLogger } from './logging/app-logger.js';
import { erpLoggerOptions } from './logging/logger-options.js';
import { ErpSettings } from './settings/erp-settings.js';

/** A worker delivers and serves health and metrics; every other role serves requests too. */
@Module({})
export class ErpModule implements NestModule {
  static with(settings: ErpSettings): DynamicModule {
    const routes = settings.role === 'worker' ? [] : routeModules(settings);
    return {
      module: ErpModule,
      imports: [
        SettingsModule.with(ErpSettings, settings),
        MikroOrmModule.forRoot({ ...ormOptions(settings), registerRequestContext: true }),
        EventBusModule.forRoot(eventBusOptions(settings)),
        LoggerModule.forRoot(erpLoggerOptions(settings)),
        EventBusHealthModule,
        EventBusMetricsModule.forRoot({ service: 'erp' }),
        BalancesModule,
        ...routes,
      ],
      providers: [
        AppLogger,
        DemoTenant,
        { provide: APP_FILTER, useClass: ProblemFilter },
        { provide: APP_PIPE, useClass: ZodValidationPipe },
      ],
    };
  }

  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(jsonBody).forRoutes('{*path}');
  }
}

function routeModules({ consoleFolder }: ErpSettings): (Type | DynamicModule)[] {
  const consoleModule = EventBusConsoleModule.forRoot({ pagesDirectory: consoleFolder });
  return [EventBusAdminModule, consoleModule, InvoicesModule, BalanceRoutesModule];
}

function eventBusOptions(settings: ErpSettings): EventBusOptions {
  const { masterKey, previousMasterKey, adminToken, role, maxPayloadBytes, retry } = settings;
  const { timeoutMs, maxTimeoutMs, maxInFlightPerEndpoint, concurrency } = settings;
  const { allowHttp, allowedCidrs, receiverUrl } = settings;
  return {
    ...{
      masterKey,
      previousMasterKey,
      adminToken,
      role,
      maxPayloadBytes,
      retry,
      timeoutMs,
      maxTimeoutMs,
      maxInFlightPerEndpoint,
      concurrency,
      events: erpEvents,
    },
    ...{ allowHttp, allowedCidrs, allowedOrigins: receiverUrl ? [receiverUrl] : [] },
    settingNames: { allowHttp: 'EVENTBUS_ALLOW_HTTP', allowedCidrs: 'EVENTBUS_ALLOWED_CIDRS' },
  };
}
