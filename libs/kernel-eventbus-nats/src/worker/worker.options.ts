import { DnsOptionsSchema } from '@kernel/eventbus';
import { z } from 'zod';
import { ConnectionSchema, type NatsConnectionOptions } from '../connection/connection.options.js';
import { parseOptions } from '../parse-options.js';
import { QueueSchema, type NatsQueueOptions } from '../queue/queue.options.js';
import { positive, StreamsSchema, type StreamsOptions } from '../streams/streams.options.js';

export interface NatsDeliveryWorkerOptions {
  connection: NatsConnectionOptions;
  /** The same as the engine's. */
  streams?: StreamsOptions;
  /** The same as the engine's, including the key. */
  queue: NatsQueueOptions;
  /**
   * Allowed destinations and host name lookup, the same as the engine's. Every request is vetted here; the exceptions
   * apply to URLs set by an operator or the host.
   */
  outgoing?: {
    allowHttp?: boolean;
    allowedCidrs?: readonly string[];
    allowedOrigins?: readonly string[];
    dns?: { servers?: readonly string[]; timeoutMs?: number };
  };
  /** Requests in flight in this process. Default: 64. */
  concurrency?: number;
  /** Time a stopping worker waits for requests in flight. Default: 15000. */
  shutdownTimeoutMs?: number;
}

const WorkerSchema = z.strictObject({
  connection: ConnectionSchema,
  streams: StreamsSchema,
  queue: QueueSchema,
  outgoing: z
    .strictObject({
      allowHttp: z.boolean().default(false),
      allowedCidrs: z.array(z.string()).default([]),
      allowedOrigins: z.array(z.string()).default([]),
      dns: DnsOptionsSchema,
    })
    .prefault({}),
  concurrency: positive.max(1_000).default(64),
  shutdownTimeoutMs: positive.default(15_000),
});

export type NatsDeliveryWorkerConfig = Readonly<z.output<typeof WorkerSchema>>;

export function resolveWorkerConfig(options: NatsDeliveryWorkerOptions): NatsDeliveryWorkerConfig {
  return parseOptions(WorkerSchema, options, 'NatsDeliveryWorker');
}
