export { JetStreamConsumer } from './jetstream-consumer.js';
export type { JetStreamConsumerOptions } from './jetstream-consumer.options.js';
