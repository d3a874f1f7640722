export { KafkaSinkModule, type KafkaSinkAsyncOptions } from './kafka-sink.module.js';
export { KafkaDispatcher, KAFKA_DISPATCHER } from './kafka-dispatcher.js';
export type { KafkaSasl, KafkaSinkOptions } from './kafka-sink.options.js';
