import { ConfigurableModuleBuilder, Module } from '@nestjs/common';
import { KafkaDispatcher } from './kafka-dispatcher.js';
import { KafkaProducers } from './kafka-producers.js';
import { KafkaSinkConfig, resolveKafkaConfig, type KafkaSinkOptions } from './kafka-sink.options.js';

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN, ASYNC_OPTIONS_TYPE } =
  new ConfigurableModuleBuilder<KafkaSinkOptions>().setClassMethodName('forRoot').build();

export type KafkaSinkAsyncOptions = typeof ASYNC_OPTIONS_TYPE;

/** Provides the dispatcher `kafka`: list `KafkaDispatcher` among the `dispatchers` of `EventBusModule`. */
@Module({
  providers: [
    { provide: KafkaSinkConfig, useFactory: resolveKafkaConfig, inject: [MODULE_OPTIONS_TOKEN] },
    KafkaProducers,
    KafkaDispatcher,
  ],
  exports: [KafkaDispatcher],
})
export class KafkaSinkModule extends ConfigurableModuleClass {}
