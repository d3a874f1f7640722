export { NatsModule } from './nats.module.js';
export type { NatsAsyncOptions } from './nats.module-definition.js';
export type { NatsOptions } from './nats.options.js';
export type { NatsConnectionOptions } from './connection/connection.options.js';
export type { StreamOptions, StreamsOptions, StreamSetup } from './streams/streams.options.js';
export { NatsConfigurationError, NatsStreamDiffersError, NatsUnavailableError } from './nats.errors.js';

export { NatsQueueDispatcher } from './queue/nats-queue-dispatcher.js';
export type { NatsQueueOptions } from './queue/queue.options.js';
export { NatsDeliveryWorker } from './worker/nats-delivery-worker.js';
export { NatsDeliveryWorkerModule } from './worker/delivery-worker.module.js';
export type { NatsDeliveryWorkerOptions } from './worker/worker.options.js';

export { NatsSinkDispatcher } from './sink/nats-sink-dispatcher.js';
export type { NatsSinkOptions } from './sink/sink.options.js';
export { escapeToken, eventSubject, unescapeToken } from './sink/event-subject.js';
