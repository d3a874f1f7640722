import { z } from 'zod';
import { ConnectionSchema, type NatsConnectionOptions } from './connection/connection.options.js';
import { parseOptions } from './parse-options.js';
import { QueueSchema, type NatsQueueOptions } from './queue/queue.options.js';
import { SinkSchema, type NatsSinkOptions } from './sink/sink.options.js';
import { StreamsSchema, type StreamsOptions } from './streams/streams.options.js';

export interface NatsOptions {
  connection: NatsConnectionOptions;
  /** Applies to every stream. */
  streams?: StreamsOptions;
  /** For `NatsQueueDispatcher`. Default: none. */
  queue?: NatsQueueOptions;
  /** For `NatsSinkDispatcher`; `{}` for the defaults. Default: none. */
  sink?: NatsSinkOptions;
}

const NatsOptionsSchema = z.strictObject({
  connection: ConnectionSchema,
  streams: StreamsSchema,
  queue: QueueSchema.optional(),
  sink: SinkSchema.optional(),
});

const ParsedOptions = class {} as unknown as abstract new () => Readonly<z.output<typeof NatsOptionsSchema>>;

/** The options with defaults applied and validated. Its own injection token. */
export abstract class NatsConfig extends ParsedOptions {}

export function resolveNatsConfig(options: NatsOptions): NatsConfig {
  return Object.freeze(parseOptions(NatsOptionsSchema, options, 'NatsModule'));
}
