import { ConfigurableModuleBuilder, Module } from '@nestjs/common';
import { EventBusConfig, resolveConfig } from './eventbus.config.js';
import type { EventBusOptions } from './eventbus.options.js';

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN, ASYNC_OPTIONS_TYPE } =
  new ConfigurableModuleBuilder<EventBusOptions>().setClassMethodName('forRoot').build();

export type EventBusAsyncOptions = typeof ASYNC_OPTIONS_TYPE;

/** Resolves the options once; everything else injects the frozen `EventBusConfig`. */
@Module({
  providers: [{ provide: EventBusConfig, useFactory: resolveConfig, inject: [MODULE_OPTIONS_TOKEN] }],
  exports: [EventBusConfig],
})
export class EventBusConfigModule extends ConfigurableModuleClass {}
