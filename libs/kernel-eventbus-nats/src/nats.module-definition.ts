import { ConfigurableModuleBuilder } from '@nestjs/common';
import type { NatsOptions } from './nats.options.js';

const definition = new ConfigurableModuleBuilder<NatsOptions>().setClassMethodName('forRoot').build();

export const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } = definition;
export type NatsAsyncOptions = typeof definition.ASYNC_OPTIONS_TYPE;
